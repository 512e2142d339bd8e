import type { BlobConfig } from '../config.ts'
import type { BlobStore } from './blob-store.ts'
import { createFolderBlobStore } from './folder-blob-store.ts'

/** The blob store that the configuration names. Opens no connection yet. S3's client, as large as the rest, is loaded for S3 alone. */
export async function createBlobStore(config: BlobConfig): Promise<BlobStore> {
  if (config.kind === 'folder') return createFolderBlobStore(config.folder)
  const { createS3BlobStore } = await import('./s3-blob-store.ts')
  return createS3BlobStore(config)
}
