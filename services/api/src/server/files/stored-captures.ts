import { blobKeys } from './blob-keys.ts'
import type { BlobStore } from './blob-store.ts'

/** Parts of a capture's key, as stored in its row. The blob store uses the same key. */
export type StoredCapture = Readonly<{
  challengeId: number
  participationId: number
  fileName: string
}>

/** Deletes the blobs of captures whose rows were deleted. Call it after the commit. */
export async function deleteCaptureBlobs(blobs: BlobStore, captures: readonly StoredCapture[]): Promise<void> {
  for (const { challengeId, participationId, fileName } of captures)
    await blobs.delete(blobKeys.capture(challengeId, participationId, fileName))
}
