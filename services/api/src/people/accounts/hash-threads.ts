import { Worker } from 'node:worker_threads'
import type { Options } from '@node-rs/argon2'
import { workerLimits } from '../../server/worker-limits.ts'
import type { ForeignHash } from './foreign-hash.ts'

type Task =
  | Readonly<{ password: string; options: Options }>
  /** To be checked against a hash, which says itself how it was made. */
  | Readonly<{ password: string; hash: string }>
  | Readonly<{ password: string; foreign: ForeignHash }>

/** As `hash-thread.mjs` answers. */
type Answer = Readonly<{
  result?: string | boolean
  error?: string
}>

/** So much steps back behind the threads that serve players: a thirtieth of their share where both want the same processor. */
const niceness = 15

/** More would take memory and help nobody: 19 MiB each while they hash. */
const threadsMax = 4

/**
 * One processor is left to those who play, so that they meet no hash on their way. Where there is only one, a thread rests after
 * each hash for as long as it took: a container's limit is spent by all threads alike, whatever their priority.
 */
export function planHashThreads(processors: number): { threads: number; restsBetween: boolean } {
  return {
    threads: Math.min(threadsMax, Math.max(1, processors - 1)),
    restsBetween: processors <= 1,
  }
}

export type HashThreadsOptions = Readonly<{
  restsBetween: boolean
  /** Behind other threads that want the same processor. True unless given: somebody plays. */
  stepsBack?: boolean | undefined
}>

interface Thread {
  readonly worker: Worker
  /** Ends the wait for an answer; absent while there is no task. */
  settle: ((answer: Answer) => void) | undefined
  isGone: boolean
}

/**
 * Threads that do nothing but hash passwords, so that no hash takes the pool that files, host names and compression share. Each is
 * started when it is first needed, and keeps no process alive. ADR 26.
 */
export function createHashThreads({ restsBetween, stepsBack = true }: HashThreadsOptions) {
  const idle: Thread[] = []

  const start = (): Thread => {
    const worker = new Worker(new URL('hash-thread.mjs', import.meta.url), {
      workerData: { niceness: stepsBack ? niceness : 0, restsBetween },
      // It holds one password: a small heap. What Argon2 fills lies outside.
      resourceLimits: workerLimits({ maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 }),
      // Nothing of our own environment: it holds secrets.
      env: {},
      execArgv: [],
    })
    const thread: Thread = { worker, settle: undefined, isGone: false }
    const fail = (reason: string) => {
      thread.isGone = true
      const place = idle.indexOf(thread)
      if (place >= 0) idle.splice(place, 1)
      thread.settle?.({ error: reason })
    }
    worker.on('message', (answer: Answer) => thread.settle?.(answer))
    worker.on('error', ({ message }) => fail(message))
    worker.on('exit', (code) => fail(`The thread ended with ${code}`))
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
    if (!thread.isGone) idle.push(thread)
    if (result === undefined) throw new Error(`Could not hash a password: ${error}`)
    return result
  }

  return {
    /** Takes a thread: the caller says how many there are at once. @returns PHC string with a salt of its own */
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
