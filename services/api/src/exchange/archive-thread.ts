import { Worker } from 'node:worker_threads'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { ReadArchive } from './read-archive.ts'
import type { ArchivedFile } from './zip-archive.ts'

/** An archive as it was read, with the place of every file that its challenges need. */
export interface LocatedArchive extends ReadArchive {
  readonly files: ReadonlyMap<string, ArchivedFile>
}

/** What the thread is started with. */
export interface ArchiveThreadData {
  readonly archivePath: string
}

/** From the thread. */
export type ArchiveReport =
  | { readonly kind: 'read'; readonly archive: LocatedArchive }
  | { readonly kind: 'unfit'; readonly why: string }

const program = new URL('./archive-thread-main.ts', import.meta.url)
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 }

const unfit = (detail: string) => new Problem('import.archive', { detail })

/**
 * Reads an archive in a thread of its own, which ends with it: whatever is in it can neither hold up the calls of this process nor
 * take its memory.
 *
 * @throws Problem `import.archive` for an archive that is not read, or not in time
 */
export const readArchiveInThread = (archivePath: string): Promise<LocatedArchive> => {
  const worker = new Worker(program, { workerData: { archivePath } satisfies ArchiveThreadData, resourceLimits, name: 'archive' })
  const { promise, resolve, reject } = Promise.withResolvers<LocatedArchive>()
  const timer = setTimeout(() => {
    reject(unfit(`It takes more than ${Limits.importMaxSeconds} s to read.`))
    void worker.terminate()
  }, Limits.importMaxSeconds * 1000)
  worker.on('message', (report: ArchiveReport) => {
    if (report.kind === 'read') resolve(report.archive)
    else reject(unfit(report.why))
  })
  // Of memory: the thread has no other way to break that is not told by a message.
  worker.on('error', (cause) => {
    if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY') reject(unfit('It takes too much memory to read.'))
    else reject(new Error('The thread that reads archives broke', { cause }))
  })
  worker.on('exit', () => reject(new Error('The thread that reads archives ended without a result')))
  return promise.finally(() => clearTimeout(timer))
}
