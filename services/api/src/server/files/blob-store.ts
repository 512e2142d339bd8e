import type { Readable } from 'node:stream'

/** Stores bytes in a folder or in S3. Keys are generated (`files/<hash>`, `captures/...`) and contain no names from users. */
export interface BlobStore {
  put(key: string, content: Readable): Promise<void>
  /** Reads all bytes, or the bytes from `start` to `end` inclusive. @throws Error if the key does not exist */
  get(key: string, range?: { start: number; end: number }): Promise<Readable>
  delete(key: string): Promise<void>
  exists(key: string): Promise<boolean>
  move(from: string, to: string): Promise<void>
  /** Deletes content of interrupted uploads that started before `before`. */
  deleteStranded(before: Date): Promise<void>
}
