import type { Clock } from '@capstan/kubernetes/clock'
import { decideAnswer } from './answer.ts'
import type { Directory } from './directory.ts'

/**
 * Maximum time that a query waits until its sender and the requested container are observed, in ms. Clients repeat a query after
 * a second.
 */
const holdMs = 900

/** Maximum number of queries that wait concurrently. Further ones are dropped. */
const maxPending = 4096

/** Maximum number of queries that one container may send per second. */
export const maxQueriesPerSecond = 200

type Transport = 'udp' | 'tcp'

/** Sends a query to another name server. @returns undefined if it does not answer */
export type Forward = (message: Buffer, transport: Transport) => Promise<Buffer | undefined>

export interface Resolver {
  /** @returns undefined if the query gets no answer */
  resolve(message: Buffer, address: string, transport: Transport): Promise<Buffer | undefined>
  /** Decides again about the waiting queries, after a change of the directory. */
  wake(): void
}

/** @param forward destination of queries for names outside of the instance. If absent, such names do not exist. */
export function createResolver({
  directory,
  clock,
  forward,
}: {
  directory: Pick<Directory, 'askerAt' | 'addressesOf'>
  clock: Pick<Clock, 'after' | 'elapsedMs'>
  forward?: Forward | undefined
}): Resolver {
  const pending = new Set<() => void>()
  let counts = new Map<string, number>()
  let countedSecond = 0

  function isTooMany(address: string): boolean {
    const second = Math.floor(clock.elapsedMs() / 1000)
    if (second !== countedSecond) {
      counts = new Map()
      countedSecond = second
    }
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    return count > maxQueriesPerSecond
  }

  function hold(message: Buffer, address: string): Promise<ReturnType<typeof decideAnswer> | undefined> {
    if (pending.size >= maxPending) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<ReturnType<typeof decideAnswer> | undefined>()
    const finish = (decision: ReturnType<typeof decideAnswer> | undefined) => {
      pending.delete(retry)
      cancel()
      resolve(decision)
    }
    const retry = () => {
      const decision = decideAnswer(message, address, directory)
      if (decision.kind !== 'hold') finish(decision)
    }
    const cancel = clock.after(holdMs, () => finish(undefined))
    pending.add(retry)
    return promise
  }

  return {
    async resolve(message, address, transport) {
      if (isTooMany(address)) return undefined
      const first = decideAnswer(message, address, directory)
      const decision = first.kind === 'hold' ? await hold(message, address) : first
      if (decision?.kind === 'foreign') return forward ? forward(message, transport) : decision.answer
      return decision?.kind === 'answer' ? decision.message : undefined
    },
    wake() {
      for (const retry of [...pending]) retry()
    },
  }
}
