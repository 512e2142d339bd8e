import { blobKeys } from './blob-keys.ts'
import type { BlobStore } from './blob-store.ts'

/** Columns of a traffic capture that determine its key in the blob store. */
export type StoredCapture = Readonly<{
  challengeId: number
  participationId: number
  fileName: string
}>

/** Deletes the blobs of traffic captures whose rows were deleted. Call this function after the commit of the deletion. */
export async function deleteCaptureBlobs(blobs: BlobStore, captures: readonly StoredCapture[]): Promise<void> {
  for (const { challengeId, participationId, fileName } of captures)
    await blobs.delete(blobKeys.capture(challengeId, participationId, fileName))
}
