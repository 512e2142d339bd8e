import type { Readable } from 'node:stream'

/** Where bytes lie: a folder or S3. Keys are made by us (`files/<hash>`, `captures/...`), never from names that people chose. */
export interface BlobStore {
  put(key: string, content: Readable): Promise<void>
  /** Bytes `start` to `end` inclusive, or all. @throws when there is nothing under the key */
  get(key: string, range?: { start: number; end: number }): Promise<Readable>
  /** Does nothing when there is nothing under the key. */
  delete(key: string): Promise<void>
  exists(key: string): Promise<boolean>
  /** Moves content that is complete to its final key. */
  move(from: string, to: string): Promise<void>
  /** Removes what was on its way in before `before` and never arrived, because the process that took it in is gone. */
  deleteStranded(before: Date): Promise<void>
}
