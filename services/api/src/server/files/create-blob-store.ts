import type { BlobConfig } from '../config.ts'
import type { BlobStore } from './blob-store.ts'
import { createFolderBlobStore } from './folder-blob-store.ts'

/** Creates the configured blob store without connecting to it. The large S3 library is loaded only for a store in S3. */
export async function createBlobStore(config: BlobConfig): Promise<BlobStore> {
  if (config.kind === 'folder') return createFolderBlobStore(config.folder)
  const { createS3BlobStore } = await import('./s3-blob-store.ts')
  return createS3BlobStore(config)
}
