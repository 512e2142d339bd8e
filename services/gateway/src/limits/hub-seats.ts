import { SeatCounts } from '@capstan/bus/seat-counts'
import { GatewayBounds } from '@capstan/contract/limits'
import type { GatewayLimitSettings } from './settings.ts'

/** What a socket of a hub was refused for. */
export type HubBound = 'hub-sockets' | 'hub-address' | 'hub-user' | 'hub-unfinished' | 'hub-unfinished-address'

/** The place of one socket among all of this process. */
export interface HubSeat {
  /** Counts it for a user, or, where nobody is signed in, for its address. Call once, before the upgrade. */
  belongTo(userId: string | undefined): HubBound | undefined
  /** The handshake is done: it no longer counts among those that have not come so far. */
  finish(): void
  /** Safe to call again. */
  leave(): void
}

/** Counts the sockets of hubs in this process: all, those of an address or a user, and those that have not done the handshake. */
export class HubSeats {
  readonly #counts = new SeatCounts()
  readonly #limits: GatewayLimitSettings

  constructor(limits: GatewayLimitSettings) {
    this.#limits = limits
  }

  /** @param addressKey `addressLimitKey` of the client's address */
  enter(addressKey: string): HubSeat | HubBound {
    const counts = this.#counts
    const { hubSockets, hubSocketsPerAddress, hubSocketsPerUser, unfinishedHubSocketsPerAddress } = this.#limits
    const unfinished = { all: 'unfinished', ofAddress: `unfinished-address:${addressKey}` }
    const held = new Set<string>()

    function take(name: string, limit: number): boolean {
      if (!counts.take(name, limit)) return false
      held.add(name)
      return true
    }
    function leave(names: Iterable<string>): void {
      for (const name of names) if (held.delete(name)) counts.leave(name)
    }

    const needed: readonly [bound: HubBound, name: string, limit: number][] = [
      ['hub-sockets', 'sockets', hubSockets],
      ['hub-unfinished', unfinished.all, GatewayBounds.unfinishedHubSockets],
      ['hub-unfinished-address', unfinished.ofAddress, unfinishedHubSocketsPerAddress],
    ]
    for (const [bound, name, limit] of needed) {
      if (take(name, limit)) continue
      leave([...held])
      return bound
    }
    return {
      belongTo(userId) {
        if (userId !== undefined) return take(`user:${userId}`, hubSocketsPerUser) ? undefined : 'hub-user'
        return take(`address:${addressKey}`, hubSocketsPerAddress) ? undefined : 'hub-address'
      },
      finish: () => leave(Object.values(unfinished)),
      leave: () => leave([...held]),
    }
  }
}
