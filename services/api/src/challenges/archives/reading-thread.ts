import { Worker } from 'node:worker_threads'
import { Limits } from '@capstan/contract/limits'
import { Problem, type ProblemCode, type ProblemDetails } from '@capstan/contract/problems'
import { prepareWorkerLimits } from '../../server/worker-limits.ts'
import { UnfitArchive } from './unfit-archive.ts'

export type ReadingData = Readonly<{
  descriptor: number
  given: unknown
}>

export type ReadingReport =
  | Readonly<{ kind: 'ask'; name: string; given: readonly unknown[] }>
  | Readonly<{ kind: 'read'; result: unknown }>
  | Readonly<{ kind: 'unfit'; why: string }>
  | Readonly<{ kind: 'problem'; code: ProblemCode; details: ProblemDetails }>

/** Message to the worker thread, with the result of the thread's last query. */
export type ReadingAnswer = Readonly<{
  answer: unknown
}>

export type Reading = Readonly<{
  /** URL of the file that the worker thread runs. The file calls `runArchiveReader`. */
  program: URL
  descriptor: number
  given?: unknown
  /** Function that answers queries of the worker thread about the platform. */
  answer?: (name: string, given: readonly unknown[]) => Promise<unknown>
}>

/**
 * Heap limits. They suffice for tables of a few hundred thousand rows. A larger archive is refused, and the api keeps running.
 */
const resourceLimits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 }

async function answersNothing(name: string): Promise<never> {
  throw new Error(`Unknown question ${name}`)
}

/**
 * Reads an archive in a worker thread and then ends the thread. The archive therefore cannot block other calls or
 * exhaust the memory of the process.
 * @returns the result of the program, as plain values
 * @throws UnfitArchive if the program refuses the archive, or if the program needs too much memory or time
 * @throws Problem if the program throws it
 */
export async function readArchiveInThread<Result>(reading: Reading): Promise<Result> {
  const { program, descriptor, given, answer = answersNothing } = reading
  const worker = new Worker(program, {
    workerData: { descriptor, given } satisfies ReadingData,
    resourceLimits: prepareWorkerLimits(resourceLimits),
    name: 'archive',
  })
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  const timer = setTimeout(
    () => reject(new UnfitArchive(`Reading the archive takes more than ${Limits.maxImportSeconds} s.`)),
    Limits.maxImportSeconds * 1000,
  )
  worker.on('message', (report: ReadingReport) => {
    if (report.kind === 'read') return resolve(report.result as Result)
    if (report.kind === 'unfit') return reject(new UnfitArchive(report.why))
    if (report.kind === 'problem') return reject(new Problem(report.code, report.details))
    answer(report.name, report.given).then(
      (answered) => worker.postMessage({ answer: answered } satisfies ReadingAnswer),
      (cause: unknown) => reject(cause),
    )
  })
  // The thread reports a refusal as a message. An error therefore means too much memory, or a defect.
  worker.on('error', (cause) => {
    if ('code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY')
      reject(new UnfitArchive('Reading the archive takes too much memory.'))
    else reject(new Error('The archive thread failed', { cause }))
  })
  worker.on('exit', () => reject(new Error('The archive thread exited without a result')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
