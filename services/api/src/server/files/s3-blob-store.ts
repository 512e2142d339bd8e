import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { Disk } from 'flydrive'
import { S3Driver } from 'flydrive/drivers/s3'
import type { BlobConfig } from '../config.ts'
import { incomingFolder, isBlobKey } from './blob-keys.ts'
import type { BlobStore } from './blob-store.ts'

export type S3Config = Extract<BlobConfig, { kind: 's3' }>

/** Creates a store with one object per blob in an existing bucket. Objects are private: the api serves all content. */
export function createS3BlobStore(config: S3Config): BlobStore {
  const client = new S3Client({
    region: config.region,
    ...(config.endpoint !== undefined && { endpoint: config.endpoint }),
    credentials: { accessKeyId: config.accessKeyId, secretAccessKey: config.secretAccessKey },
    forcePathStyle: config.forcePathStyle,
    // The number of sockets is unlimited. With the default limit of fifty sockets, slow clients would block all other clients.
    // The listener already limits the number of downloads.
    requestHandler: { httpAgent: { maxSockets: Number.POSITIVE_INFINITY }, httpsAgent: { maxSockets: Number.POSITIVE_INFINITY } },
    // Some S3-compatible servers do not support the trailing checksums that newer clients send by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const disk = new Disk(new S3Driver({ client, bucket: config.bucket, visibility: 'private', supportsACL: false }))
  const deleteUnclaimed = async (before: Date): Promise<void> => {
    const pages = paginateListObjectsV2({ client }, { Bucket: config.bucket, Prefix: `${incomingFolder}/` })
    for await (const { Contents = [] } of pages)
      for (const { Key, LastModified } of Contents) if (Key && LastModified && LastModified < before) await disk.delete(Key)
  }
  /**
   * Aborts abandoned multipart uploads, a thousand at a time. Until they are aborted, S3 stores their parts and charges for them.
   */
  const abortUnfinished = async (before: Date): Promise<void> => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: config.bucket }))
    for (const { Key, UploadId, Initiated } of Uploads)
      if (Key && UploadId && Initiated && Initiated < before && isBlobKey(Key))
        await client.send(new AbortMultipartUploadCommand({ Bucket: config.bucket, Key, UploadId }))
  }
  return {
    /** Uploads in parts, because a single request would need the length in advance. The object appears with its last part. */
    async put(key, content) {
      await new Upload({ client, params: { Bucket: config.bucket, Key: key, Body: content } }).done()
    },
    async get(key, range) {
      const { Body } = await client.send(
        new GetObjectCommand({
          Bucket: config.bucket,
          Key: key,
          ...(range && { Range: `bytes=${range.start}-${range.end}` }),
        }),
      )
      if (!(Body instanceof Readable)) throw new Error(`The object ${key} has no content`)
      return Body
    },
    delete: (key) => disk.delete(key),
    exists: (key) => disk.exists(key),
    move: (from, to) => disk.move(from, to),
    async deleteStranded(before) {
      await deleteUnclaimed(before)
      await abortUnfinished(before)
    },
  }
}
