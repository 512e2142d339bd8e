import type { BlobConfig } from '../config.ts'
import type { BlobStore } from './blob-store.ts'
import { createFolderBlobStore } from './folder-blob-store.ts'
import { createS3BlobStore } from './s3-blob-store.ts'

/** The blob store that the configuration names. Opens no connection yet. */
export const createBlobStore = (config: BlobConfig): BlobStore =>
  config.kind === 'folder' ? createFolderBlobStore(config.folder) : createS3BlobStore(config)
