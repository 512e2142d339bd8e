import { createHash } from 'node:crypto'
import type { Service } from '@capstan/kubernetes/built-in-kinds'
import type { Clock } from '@capstan/kubernetes/clock'

/** Range of node ports for instances, from the first to the last port. */
export interface NodePortRange {
  first: number
  last: number
}

export interface NodePorts {
  range: NodePortRange
  hasFree(): boolean
  /**
   * Reserves a free port for the instance with this UID. A call of `settle` or `avoid` ends the reservation.
   * @returns undefined if no port is free
   */
  take(uid: string): number | undefined
  settle(port: number): void
  avoid(port: number): void
}

/** Time before an avoided port is tried again, in milliseconds. */
const avoidMs = 60_000

/**
 * Creates the assignment of node ports.
 * @param services all known services, with their ports
 */
export function createNodePortAllocator(
  range: NodePortRange,
  { services, clock }: { services: () => Iterable<Service>; clock: Clock },
): NodePorts {
  const size = range.last - range.first + 1
  const reservedUntilMs = new Map<number, number>()

  function isFree(): (port: number) => boolean {
    const used = new Set<number | undefined>()
    for (const { spec } of services()) for (const { nodePort } of spec?.ports ?? []) used.add(nodePort)
    const nowMs = clock.elapsedMs()
    return (port) => !used.has(port) && (reservedUntilMs.get(port) ?? 0) <= nowMs
  }

  /**
   * Returns a free port. The search starts at a port that depends only on the instance. A retry after a lost response therefore
   * finds the same port.
   */
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
      if (port !== undefined) reservedUntilMs.set(port, Number.POSITIVE_INFINITY)
      return port
    },
    settle: (port) => void reservedUntilMs.delete(port),
    avoid: (port) => void reservedUntilMs.set(port, clock.elapsedMs() + avoidMs),
  }
}
