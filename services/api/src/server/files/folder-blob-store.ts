import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { incomingFolder } from './blob-keys.ts'
import type { BlobStore } from './blob-store.ts'

/** Folder of blobs whose upload is in progress. Blobs under their final keys are complete. */
const partialFolder = 'partial'

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** Lists files that were last written before `before`. Other processes may delete them concurrently. */
async function listAbandoned(folder: string, before: Date): Promise<string[]> {
  const old: string[] = []
  try {
    for (const name of await readdir(folder)) {
      const { mtime } = await stat(join(folder, name))
      if (mtime < before) old.push(join(folder, name))
    }
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  return old
}

export function createFolderBlobStore(folder: string): BlobStore {
  const disk = new Disk(new FSDriver({ location: folder, visibility: 'private' }))
  /** Renames a file in one step. The `move` function of the driver copies the file, so a crash could leave a partial blob. */
  const move = async (from: string, to: string): Promise<void> => {
    const target = join(folder, to)
    await mkdir(dirname(target), { recursive: true })
    await rename(join(folder, from), target)
  }
  return {
    async put(key, content) {
      const partial = `${partialFolder}/${randomUUID()}`
      try {
        await disk.putStream(partial, content)
        await move(partial, key)
      } catch (cause) {
        await disk.delete(partial)
        throw new Error(`Could not store the blob ${key}`, { cause })
      }
    },
    async get(key, range) {
      const handle = await open(join(folder, key), 'r')
      return handle.createReadStream(range ? { start: range.start, end: range.end } : {})
    },
    delete: (key) => disk.delete(key),
    exists: (key) => disk.exists(key),
    move,
    async deleteStranded(before) {
      for (const name of [incomingFolder, partialFolder])
        for (const file of await listAbandoned(join(folder, name), before)) await rm(file, { force: true })
    },
  }
}
