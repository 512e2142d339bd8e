import { Worker } from 'node:worker_threads'
import { Limits } from '@capstan/contract/limits'
import { workerLimits } from '../../server/worker-limits.ts'
import { UnfitArchive } from './unfit-archive.ts'

/** What the thread is started with. */
export type ReadingData = Readonly<{
  /** Of the archive: threads of a process share what is open. */
  descriptor: number
  given: unknown
}>

/** From the thread. */
export type ReadingReport =
  | Readonly<{ kind: 'ask'; name: string; given: readonly unknown[] }>
  | Readonly<{ kind: 'read'; result: unknown }>
  | Readonly<{ kind: 'unfit'; why: string }>

/** To the thread: the answer to what it asked last. */
export type ReadingAnswer = Readonly<{
  answer: unknown
}>

export type Reading = Readonly<{
  /** Of the thread: a file that calls `runReading`. */
  program: URL
  descriptor: number
  /** Plain values for the program. */
  given?: unknown
  /** Answers what the program has to know of the platform. */
  answer?: (name: string, given: readonly unknown[]) => Promise<unknown>
}>

/** Tables of a few hundred thousand rows; what needs more is refused, and the api goes on. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

async function answersNothing(name: string): Promise<never> {
  throw new Error(`Nobody answers ${name}`)
}

/**
 * Reads an archive in a thread of its own, which has ended when this has: whatever is in it can neither hold up the calls of this
 * process nor take its memory.
 *
 * @returns what the program made of it, in plain values
 * @throws UnfitArchive also where it takes more memory or time than there is
 */
export async function readInThread<Result>(reading: Reading): Promise<Result> {
  const { program, descriptor, given, answer = answersNothing } = reading
  const worker = new Worker(program, {
    workerData: { descriptor, given } satisfies ReadingData,
    resourceLimits: workerLimits(resourceLimits),
    name: 'archive',
  })
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const timer = setTimeout(
    () => reject(new UnfitArchive(`It takes more than ${Limits.importMaxSeconds} s to read.`)),
    Limits.importMaxSeconds * 1000,
  )
  worker.on('message', (report: ReadingReport) => {
    if (report.kind === 'read') return resolve(report.result as Result)
    if (report.kind === 'unfit') return reject(new UnfitArchive(report.why))
    answer(report.name, report.given).then(
      (answered) => worker.postMessage({ answer: answered } satisfies ReadingAnswer),
      (cause: unknown) => reject(cause),
    )
  })
  // Of memory, by what is in the archive. All else is a fault of the program: what it refuses is told by a message.
  worker.on('error', (cause) => {
    if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
      reject(new UnfitArchive('It takes too much memory to read.'))
    else reject(new Error('The thread that reads archives broke', { cause }))
  })
  worker.on('exit', () => reject(new Error('The thread that reads archives ended without a result')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
