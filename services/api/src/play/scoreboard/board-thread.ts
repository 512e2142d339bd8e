import { Worker } from 'node:worker_threads'
import { workerLimits } from '../../server/worker-limits.ts'
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

export type ThreadRequest = (BuildRequest & { readonly id: number }) | { readonly kind: 'close' }

export type ThreadReport =
  | Readonly<{ kind: 'made'; id: number; made: unknown }>
  | Readonly<{ kind: 'failed'; id: number; error: unknown }>
  | Readonly<{ kind: 'log'; level: 'warn' | 'info'; fields: object; text: string }>

type Waiting = Readonly<{
  resolve: (made: unknown) => void
  reject: (error: Error) => void
}>

type Running = Readonly<{
  worker: Worker
  waiting: Map<number, Waiting>
  exited: Promise<void>
}>

const program = new URL('./board-thread-main.ts', import.meta.url)
const defaultTimeoutMs = 120_000
const closeTimeoutMs = 5_000

/** Heap limits of the thread, the same as those of the api. They are three times the need of 5,000 teams with 100,000 solves. */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 4 }

/**
 * Builds boards in a worker thread that has its own database connection. Requests therefore never wait for a build. The first
 * board starts the thread. If the thread fails or hangs, its current builds fail, and the next build starts a new thread. ADR 24.
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
    const { promise: exited, resolve: end } = Promise.withResolvers<void>()
    const started = { worker, waiting, exited }
    let cause: unknown
    worker.on('message', (report: ThreadReport) => {
      if (report.kind === 'log') {
        log[report.level](report.fields, report.text)
        return
      }
      const one = waiting.get(report.id)
      waiting.delete(report.id)
      if (report.kind === 'made') one?.resolve(report.made)
      else one?.reject(new Error('Could not build the board', { cause: report.error }))
    })
    worker.on('error', (error) => {
      cause = error
    })
    worker.on('exit', () => {
      if (running === started) running = undefined
      for (const { reject } of waiting.values()) reject(new Error('The board thread exited', { cause }))
      waiting.clear()
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

  const build = async (request: BuildRequest): Promise<unknown> => {
    if (isClosed) throw new Error('The board thread is closed')
    running ??= start()
    const { worker, waiting } = running
    lastId += 1
    const id = lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.set(id, { resolve, reject })
    worker.postMessage({ ...request, id } satisfies ThreadRequest)
    const timer = setTimeout(() => void worker.terminate(), timeoutMs).unref()
    return promise.finally(() => clearTimeout(timer))
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
