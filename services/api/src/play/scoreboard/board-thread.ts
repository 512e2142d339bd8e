import { Worker } from 'node:worker_threads'
import { workerLimits } from '../../server/worker-limits.ts'
import type { BoardMaker, BoardOrder, MadeBoard } from './board-maker.ts'

export type BoardThreadOptions = Readonly<{
  databaseUrl: string
  log: { warn(fields: object, text: string): void; info(fields: object, text: string): void }
  /** Limit in real time of one board, also while the database is away. */
  timeoutMs?: number
  /** Run in place of the program that builds boards. */
  program?: URL
}>

/** What the thread is started with. */
export type ThreadData = Readonly<{
  databaseUrl: string
}>

/** To the thread. */
export type ThreadRequest = Readonly<{ kind: 'make'; id: number; order: BoardOrder }> | { readonly kind: 'close' }

/** From the thread. */
export type ThreadReport =
  | Readonly<{ kind: 'made'; id: number; made: MadeBoard | undefined }>
  | Readonly<{ kind: 'failed'; id: number; error: unknown }>
  | Readonly<{ kind: 'log'; level: 'warn' | 'info'; fields: object; text: string }>

type Waiting = Readonly<{
  resolve: (made: MadeBoard | undefined) => void
  reject: (error: Error) => void
}>

type Running = Readonly<{
  worker: Worker
  waiting: Map<number, Waiting>
  /** Fulfilled when it is gone. */
  gone: Promise<void>
}>

const program = new URL('./board-thread-main.ts', import.meta.url)
const defaultTimeoutMs = 120_000
const closeTimeoutMs = 5_000

/** As large as the heap of the api itself; a board of 5,000 teams with 100,000 solves needs a third of it. */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 }

/**
 * Builds boards in a thread of its own, which has its own connection to the database, so that no call waits for a board. It is
 * started for the first board; one that breaks or hangs fails what it was at, and the next board starts another. ADR 24.
 */
export function createBoardThread({
  databaseUrl,
  log,
  timeoutMs = defaultTimeoutMs,
  ...options
}: BoardThreadOptions): BoardMaker {
  let running: Running | undefined
  let lastId = 0
  let isClosed = false

  const start = (): Running => {
    const workerData: ThreadData = { databaseUrl }
    const worker = new Worker(options.program ?? program, {
      workerData,
      resourceLimits: workerLimits(resourceLimits),
      name: 'boards',
    })
    const waiting = new Map<number, Waiting>()
    const { promise: gone, resolve: end } = Promise.withResolvers<void>()
    const started = { worker, waiting, gone }
    let cause: unknown
    worker.on('message', (report: ThreadReport) => {
      if (report.kind === 'log') {
        log[report.level](report.fields, report.text)
        return
      }
      const one = waiting.get(report.id)
      waiting.delete(report.id)
      if (report.kind === 'made') one?.resolve(report.made)
      else one?.reject(new Error('The board could not be built', { cause: report.error }))
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (running === started) running = undefined
      for (const { reject } of waiting.values()) reject(new Error('The thread that builds boards has ended', { cause }))
      waiting.clear()
      end()
    })
    worker.unref()
    return started
  }

  const stop = async ({ worker, gone }: Running): Promise<void> => {
    const timer = setTimeout(() => void worker.terminate(), closeTimeoutMs)
    worker.postMessage({ kind: 'close' } satisfies ThreadRequest)
    await gone
    clearTimeout(timer)
  }

  return {
    async make(order) {
      if (isClosed) throw new Error('No boards are built any more')
      running ??= start()
      const { worker, waiting } = running
      lastId += 1
      const id = lastId
      const { promise, resolve, reject } = Promise.withResolvers<MadeBoard | undefined>()
      waiting.set(id, { resolve, reject })
      worker.postMessage({ kind: 'make', id, order } satisfies ThreadRequest)
      const timer = setTimeout(() => void worker.terminate(), timeoutMs).unref()
      return promise.finally(() => clearTimeout(timer))
    },
    async close() {
      isClosed = true
      if (running) await stop(running)
    },
  }
}
