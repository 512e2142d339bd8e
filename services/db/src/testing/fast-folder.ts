import { rmSync } from 'node:fs'
import { mkdtemp, readFile, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'

const memory = '/dev/shm'
const neededBytes = 4 * 1024 ** 3

/** True if the folder is a file system in memory that allows programs and has enough room. */
async function isMemoryUsable(): Promise<boolean> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' '))
  const [, , type, options] = mounts.find(([, point]) => point === memory) ?? []
  if (type !== 'tmpfs' || options?.split(',').includes('noexec')) return false
  const { bavail, bsize } = await statfs(memory)
  return bavail * bsize >= neededBytes
}

/**
 * Creates a temporary folder for databases and images. It is in memory if possible, because a database on a disk takes ten times
 * the processor time to create and drop. It is deleted at the latest when this process exits, so that it does not fill the memory.
 */
export async function createFastFolder(prefix: string): Promise<string> {
  const parent = (await isMemoryUsable().catch(() => false)) ? memory : tmpdir()
  const folder = await mkdtemp(path.join(parent, prefix))
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // Containers that still run can prevent the deletion.
    }
  })
  return folder
}
