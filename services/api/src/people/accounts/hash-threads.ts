import { Worker } from 'node:worker_threads'
import type { ForeignHash } from '@capstan/contract/foreign-hash'
import type { Options } from '@node-rs/argon2'
import { prepareWorkerLimits } from '../../server/worker-limits.ts'

type Task =
  | Readonly<{ password: string; options: Options }>
  /** Check of a password against a native hash. The hash contains the Argon2 parameters. */
  | Readonly<{ password: string; hash: string }>
  | Readonly<{ password: string; foreign: ForeignHash }>

type Answer = Readonly<{
  result?: string | boolean
  error?: string
}>

/**
 * Niceness (Unix priority) of the hash threads. While the main thread is busy, the hash threads get about a thirtieth of the
 * processor time.
 */
const niceness = 15

/** Maximum number of threads. Each thread uses 19 MiB while it hashes. */
const maxThreads = 4

/**
 * Returns the number of hash threads, and whether they pause after each hash. One processor is reserved for requests. With a
 * single processor, the only thread pauses after each hash for as long as the hash took. A lower priority of the thread would not
 * be enough, because a container's CPU limit ignores the priority.
 */
export function planHashThreads(processors: number): { threads: number; pausesAfterHash: boolean } {
  return {
    threads: Math.min(maxThreads, Math.max(1, processors - 1)),
    pausesAfterHash: processors <= 1,
  }
}

export type HashThreadsOptions = Readonly<{
  pausesAfterHash: boolean
  isLowPriority?: boolean | undefined
}>

interface Thread {
  readonly worker: Worker
  /** Resolves the promise of the pending task. Undefined if the thread is idle. */
  settle: ((answer: Answer) => void) | undefined
  hasExited: boolean
}

/**
 * Creates threads that only hash passwords. Node's thread pool remains free for files, DNS and compression. A thread starts on
 * first use and does not prevent the exit of the process. ADR 26.
 */
export function createHashThreads({ pausesAfterHash, isLowPriority = true }: HashThreadsOptions) {
  const idle: Thread[] = []

  const start = (): Thread => {
    const worker = new Worker(new URL('hash-thread.mjs', import.meta.url), {
      workerData: { niceness: isLowPriority ? niceness : 0, pausesAfterHash },
      // A small JavaScript heap suffices, since Argon2 allocates memory outside of the heap.
      resourceLimits: prepareWorkerLimits({ maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 }),
      // The environment of this process contains secrets, so the hash thread gets an empty environment.
      env: {},
      execArgv: [],
    })
    const thread: Thread = { worker, settle: undefined, hasExited: false }
    const fail = (reason: string) => {
      thread.hasExited = true
      const place = idle.indexOf(thread)
      if (place >= 0) idle.splice(place, 1)
      thread.settle?.({ error: reason })
    }
    worker.on('message', (answer: Answer) => thread.settle?.(answer))
    worker.on('error', ({ message }) => fail(message))
    worker.on('exit', (code) => fail(`The thread exited with code ${code}`))
    return thread
  }

  const perform = async (task: Task): Promise<string | boolean> => {
    const thread = idle.pop() ?? start()
    thread.worker.ref()
    const { result, error } = await new Promise<Answer>((resolve) => {
      thread.settle = resolve
      thread.worker.postMessage(task)
    })
    thread.settle = undefined
    thread.worker.unref()
    if (!thread.hasExited) idle.push(thread)
    if (result === undefined) throw new Error(`Could not hash a password: ${error}`)
    return result
  }

  return {
    /** Hashes a password in a thread. The caller must limit concurrency. @returns a PHC string with a random salt */
    async hash(password: string, options: Options): Promise<string> {
      return String(await perform({ password, options }))
    },
    async verify(hash: string, password: string): Promise<boolean> {
      return (await perform({ password, hash })) === true
    },
    async verifyForeign(foreign: ForeignHash, password: string): Promise<boolean> {
      return (await perform({ password, foreign })) === true
    },
  }
}
