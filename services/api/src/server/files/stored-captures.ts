import { blobKeys } from './blob-keys.ts'
import type { BlobStore } from './blob-store.ts'

/** What names a capture, in its row and in the blob store. */
export interface StoredCapture {
  readonly challengeId: number
  readonly participationId: number
  readonly fileName: string
}

/** Removes the bytes of captures whose rows went with something else; after the commit. */
export const deleteCaptureBlobs = async (blobs: BlobStore, captures: readonly StoredCapture[]): Promise<void> => {
  for (const { challengeId, participationId, fileName } of captures)
    await blobs.delete(blobKeys.capture(challengeId, participationId, fileName))
}
