import { Worker } from 'node:worker_threads'
import { prepareWorkerLimits } from '../../server/worker-limits.ts'
import type { BoardMaker, BoardRequest, MadeBoard, PastBoardRequest } from './board-maker.ts'
import type { BoardContent } from './board-writer.ts'

export type BoardThreadOptions = Readonly<{
  databaseUrl: string
  log: { warn(fields: object, text: string): void; info(fields: object, text: string): void }
  timeoutMs?: number
  /** Program of the thread. Tests replace it. */
  program?: URL
}>

export type ThreadData = Readonly<{
  databaseUrl: string
}>

type BuildRequest = Readonly<{ kind: 'make'; order: BoardRequest }> | Readonly<{ kind: 'makePast'; order: PastBoardRequest }>

export type ThreadRequest = BuildRequest | { readonly kind: 'close' }

export type ThreadReport =
  | Readonly<{ kind: 'made'; made: unknown }>
  | Readonly<{ kind: 'failed'; error: unknown }>
  | Readonly<{ kind: 'log'; level: 'warn' | 'info'; fields: object; text: string }>

type Settlement = Readonly<{
  resolve: (made: unknown) => void
  reject: (error: unknown) => void
}>

/** Build that waits for the thread. */
type Waiting = Settlement & { readonly request: BuildRequest }

type Running = Readonly<{
  worker: Worker
  exited: Promise<void>
}>

const program = new URL('./board-thread-main.ts', import.meta.url)
const defaultTimeoutMs = 120_000
const closeTimeoutMs = 5_000

/**
 * Heap limits of the thread, equal to the limits of the api. A game with 5,000 teams and 100,000 solves needs a third of this
 * memory.
 */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 }

/**
 * Builds boards in a worker thread with a separate database connection, so a build does not block requests. Boards are built one at
 * a time, and present boards are built before past boards. The first board starts the thread. If the thread fails or hangs, its
 * current build fails, and the next build starts a new thread. ADR 24.
 */
export function createBoardThread({
  databaseUrl,
  log,
  timeoutMs = defaultTimeoutMs,
  ...options
}: BoardThreadOptions): BoardMaker {
  let running: Running | undefined
  /** Builds that wait, in order of arrival. */
  const waiting: Waiting[] = []
  /** Build that the thread runs. */
  let current: Settlement | undefined
  let isDraining = false
  let isClosed = false

  const start = (): Running => {
    const workerData: ThreadData = { databaseUrl }
    const worker = new Worker(options.program ?? program, {
      workerData,
      resourceLimits: prepareWorkerLimits(resourceLimits),
      name: 'boards',
    })
    const { promise: exited, resolve: end } = Promise.withResolvers<void>()
    const started = { worker, exited }
    let cause: unknown
    worker.on('message', (report: ThreadReport) => {
      if (report.kind === 'log') {
        log[report.level](report.fields, report.text)
        return
      }
      if (report.kind === 'made') current?.resolve(report.made)
      else current?.reject(new Error('Could not build the board', { cause: report.error }))
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (running === started) running = undefined
      current?.reject(new Error('The board thread exited', { cause }))
      end()
    })
    worker.unref()
    return started
  }

  const stop = async ({ worker, exited }: Running): Promise<void> => {
    const timer = setTimeout(() => void worker.terminate(), closeTimeoutMs)
    worker.postMessage({ kind: 'close' } satisfies ThreadRequest)
    await exited
    clearTimeout(timer)
  }

  const run = async (request: BuildRequest): Promise<unknown> => {
    if (isClosed) throw new Error('The board thread is closed')
    running ??= start()
    const { worker } = running
    const { promise, ...settlement } = Promise.withResolvers<unknown>()
    current = settlement
    worker.postMessage(request satisfies ThreadRequest)
    const timer = setTimeout(() => void worker.terminate(), timeoutMs).unref()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      current = undefined
    }
  }

  const takeNext = (): Waiting | undefined => {
    const present = waiting.findIndex(({ request }) => request.kind === 'make')
    return waiting.splice(Math.max(present, 0), 1)[0]
  }

  const drain = async (): Promise<void> => {
    if (isDraining) return
    isDraining = true
    for (let next = takeNext(); next; next = takeNext()) await run(next.request).then(next.resolve, next.reject)
    isDraining = false
  }

  const build = (request: BuildRequest): Promise<unknown> => {
    const { promise, ...settlement } = Promise.withResolvers<unknown>()
    waiting.push({ request, ...settlement })
    void drain()
    return promise
  }

  return {
    make: (order) => build({ kind: 'make', order }) as Promise<MadeBoard | undefined>,
    makePast: (order) => build({ kind: 'makePast', order }) as Promise<BoardContent | undefined>,
    async close() {
      isClosed = true
      if (running) await stop(running)
    },
  }
}
