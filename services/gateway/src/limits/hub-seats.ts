import { SeatCounts } from '@capstan/bus/seat-counts'
import { GatewayBounds } from '@capstan/contract/limits'
import type { GatewayLimitSettings } from './settings.ts'

export type HubBound = 'hub-sockets' | 'hub-address' | 'hub-user' | 'hub-unfinished' | 'hub-unfinished-address'

export interface HubSeat {
  /**
   * Counts the socket for the limit of a user, or for the limit of its address if there is no user. Call this once,
   * before the upgrade.
   * @returns the limit that the socket would exceed, undefined if none
   */
  assignUser(userId: string | undefined): HubBound | undefined
  /** Marks the handshake as complete, so that the socket no longer counts as unfinished. */
  finish(): void
  /** Ends the counting of the socket. Idempotent. */
  leave(): void
}

/** Counts the open hub sockets of this process, and refuses a socket that exceeds a limit. */
export class HubSeats {
  readonly #counts = new SeatCounts()
  readonly #limits: GatewayLimitSettings

  constructor(limits: GatewayLimitSettings) {
    this.#limits = limits
  }

  /**
   * Counts a new socket.
   * @returns a `HubSeat`, or the name of the limit that the socket would exceed
   * @param addressKey `addressLimitKey` of the client's address
   */
  enter(addressKey: string): HubSeat | HubBound {
    const counts = this.#counts
    const { hubSockets, hubSocketsPerAddress, hubSocketsPerUser, unfinishedHubSocketsPerAddress } = this.#limits
    const unfinished = { all: 'unfinished', ofAddress: `unfinished-address:${addressKey}` }
    const taken = new Set<string>()

    function take(name: string, limit: number): boolean {
      if (!counts.take(name, limit)) return false
      taken.add(name)
      return true
    }
    function leave(names: Iterable<string>): void {
      for (const name of names) if (taken.delete(name)) counts.leave(name)
    }

    const needed: readonly [bound: HubBound, name: string, limit: number][] = [
      ['hub-sockets', 'sockets', hubSockets],
      ['hub-unfinished', unfinished.all, GatewayBounds.unfinishedHubSockets],
      ['hub-unfinished-address', unfinished.ofAddress, unfinishedHubSocketsPerAddress],
    ]
    for (const [bound, name, limit] of needed) {
      if (take(name, limit)) continue
      leave([...taken])
      return bound
    }
    return {
      assignUser(userId) {
        if (userId !== undefined) return take(`user:${userId}`, hubSocketsPerUser) ? undefined : 'hub-user'
        return take(`address:${addressKey}`, hubSocketsPerAddress) ? undefined : 'hub-address'
      },
      finish: () => leave(Object.values(unfinished)),
      leave: () => leave([...taken]),
    }
  }
}
