import type { Clock } from '@capstan/kubernetes/clock'
import { type Decision, decideDnsAnswer, parseDnsQuery, type Query } from './answer.ts'
import type { Directory } from './directory.ts'

/** Maximum waiting time of a query, in ms. The C libraries in the containers wait 4 s for a response (`nameOptions`). */
export const holdMs = 3_900

/** Maximum number of queries that wait concurrently. Additional queries are dropped. */
const maxPending = 4096

/** Maximum number of waiting queries per team, so that one team cannot fill the queue. */
export const maxWaitingPerTeam = 64

/** Maximum number of queries per second from one container. Additional queries are dropped. */
export const maxQueriesPerSecond = 200

type Transport = 'udp' | 'tcp'

/**
 * Sends a query to the cluster's DNS server.
 * @returns undefined if that server does not answer
 */
export type Forward = (message: Buffer, transport: Transport) => Promise<Buffer | undefined>

export interface Resolver {
  /** Returns the team whose container has this address. If no container has the address, returns the address itself. */
  ownerOf(address: string): string
  /**
   * Returns the DNS response to a query that was sent from this address.
   * @returns undefined if the query gets no answer
   */
  resolve(message: Buffer, address: string, transport: Transport): Promise<Buffer | undefined>
  /** Tries again to answer all waiting queries. */
  wake(): void
}

/**
 * Creates the resolver.
 * @param forward sends a query for a name outside of the instance to the cluster's DNS server. If undefined, the
 * resolver responds that such names do not exist.
 */
export function createNameResolver({
  directory,
  clock,
  forward,
}: {
  directory: Pick<Directory, 'askerAt' | 'addressesOf'>
  clock: Pick<Clock, 'after' | 'elapsedMs'>
  forward?: Forward | undefined
}): Resolver {
  const pending = new Set<() => void>()
  const waiting = new Map<string, number>()
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

  function hold(query: Query, address: string): Promise<Decision | undefined> {
    if (pending.size >= maxPending) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<Decision | undefined>()
    const finish = (decision: Decision | undefined) => {
      pending.delete(retry)
      cancel()
      resolve(decision)
    }
    const retry = () => {
      const decision = decideDnsAnswer(query, address, directory)
      if (decision.kind !== 'hold') finish(decision)
    }
    const cancel = clock.after(holdMs, () => finish(undefined))
    pending.add(retry)
    return promise
  }

  /**
   * Waits for a result. During the wait, the query counts as one of the owner's waiting queries.
   * @returns undefined if the owner already has the maximum number of waiting queries
   */
  async function takePlace<Result>(owner: string, wait: () => Promise<Result | undefined>): Promise<Result | undefined> {
    const before = waiting.get(owner) ?? 0
    if (before >= maxWaitingPerTeam) return undefined
    waiting.set(owner, before + 1)
    try {
      return await wait()
    } finally {
      const left = (waiting.get(owner) ?? 1) - 1
      if (left > 0) waiting.set(owner, left)
      else waiting.delete(owner)
    }
  }

  function ownerOf(address: string): string {
    return directory.askerAt(address)?.owner ?? address
  }

  return {
    ownerOf,
    async resolve(message, address, transport) {
      if (isTooMany(address)) return undefined
      const query = parseDnsQuery(message)
      if (!query) return undefined
      const owner = ownerOf(address)
      const first = decideDnsAnswer(query, address, directory)
      const decision = first.kind === 'hold' ? await takePlace(owner, () => hold(query, address)) : first
      if (decision?.kind === 'foreign') return forward ? takePlace(owner, () => forward(message, transport)) : decision.answer
      return decision?.kind === 'answer' ? decision.message : undefined
    },
    wake() {
      for (const retry of [...pending]) retry()
    },
  }
}
