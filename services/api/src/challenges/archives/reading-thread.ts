import { Worker } from 'node:worker_threads'
import { Limits } from '@capstan/contract/limits'
import { workerLimits } from '../../server/worker-limits.ts'
import { UnfitArchive } from './unfit-archive.ts'

/** What the thread is started with. */
export interface ReadingData {
  /** Of the archive: threads of a process share what is open. */
  readonly descriptor: number
  readonly given: unknown
}

/** From the thread. */
export type ReadingReport =
  | { readonly kind: 'ask'; readonly name: string; readonly given: readonly unknown[] }
  | { readonly kind: 'read'; readonly result: unknown }
  | { readonly kind: 'unfit'; readonly why: string }

/** To the thread: the answer to what it asked last. */
export interface ReadingAnswer {
  readonly answer: unknown
}

export interface Reading {
  /** Of the thread: a file that calls `runReading`. */
  readonly program: URL
  readonly descriptor: number
  /** Plain values for the program. */
  readonly given?: unknown
  /** Answers what the program has to know of the platform. */
  readonly answer?: (name: string, given: readonly unknown[]) => Promise<unknown>
}

/** Tables of a few hundred thousand rows; what needs more is refused, and the api goes on. */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

const answersNothing = async (name: string): Promise<never> => {
  throw new Error(`Nobody answers ${name}`)
}

/**
 * Reads an archive in a thread of its own, which has ended when this has: whatever is in it can neither hold up the calls of this
 * process nor take its memory.
 *
 * @returns what the program made of it, in plain values
 * @throws UnfitArchive also where it takes more memory or time than there is
 */
export const readInThread = async <Result>(reading: Reading): Promise<Result> => {
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
