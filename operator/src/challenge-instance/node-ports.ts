import { createHash } from 'node:crypto'
import type { Service } from '@capstan/kubernetes/built-in-kinds'
import type { Clock } from '@capstan/kubernetes/clock'

/** Node ports that instances may have, both ends included. */
export interface NodePortRange {
  first: number
  last: number
}

/** Node ports of a range, each for one service at a time. The API server has the last word: others take ports too. */
export interface NodePorts {
  range: NodePortRange
  hasFree(): boolean
  /** A port for the instance of this UID, taken until it is told what became of it; undefined if none is free. */
  take(uid: string): number | undefined
  /** The service with this port is in the cache, or was not written. */
  settle(port: number): void
  /** The API server says that somebody else has this port. */
  avoid(port: number): void
}

/** How long a port counts as somebody else's before it is tried again, in milliseconds. */
const avoidMs = 60_000

/** @param services all that the operator knows of, with their ports */
export function createNodePorts(
  range: NodePortRange,
  { services, clock }: { services: () => Iterable<Service>; clock: Clock },
): NodePorts {
  const size = range.last - range.first + 1
  /** Until when a port is not to be had. */
  const heldUntilMs = new Map<number, number>()

  function isFree(): (port: number) => boolean {
    const used = new Set<number | undefined>()
    for (const { spec } of services()) for (const { nodePort } of spec?.ports ?? []) used.add(nodePort)
    const nowMs = clock.elapsedMs()
    return (port) => !used.has(port) && (heldUntilMs.get(port) ?? 0) <= nowMs
  }

  /** From a place of its own for each instance, so that one whose answer was lost comes to the same port again. */
  function find(start: number): number | undefined {
    const free = isFree()
    for (let step = 0; step < size; step += 1) {
      const port = range.first + ((start + step) % size)
      if (free(port)) return port
    }
    return undefined
  }

  return {
    range,
    hasFree: () => find(0) !== undefined,
    take(uid) {
      const port = find(createHash('sha256').update(uid).digest().readUInt32BE() % size)
      if (port !== undefined) heldUntilMs.set(port, Number.POSITIVE_INFINITY)
      return port
    },
    settle: (port) => void heldUntilMs.delete(port),
    avoid: (port) => void heldUntilMs.set(port, clock.elapsedMs() + avoidMs),
  }
}
