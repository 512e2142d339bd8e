import { blobKeys } from './blob-keys.ts'
import type { BlobStore } from './blob-store.ts'

/** What names a capture, in its row and in the blob store. */
export type StoredCapture = Readonly<{
  challengeId: number
  participationId: number
  fileName: string
}>

/** Removes the bytes of captures whose rows went with something else; after the commit. */
export async function deleteCaptureBlobs(blobs: BlobStore, captures: readonly StoredCapture[]): Promise<void> {
  for (const { challengeId, participationId, fileName } of captures)
    await blobs.delete(blobKeys.capture(challengeId, participationId, fileName))
}
