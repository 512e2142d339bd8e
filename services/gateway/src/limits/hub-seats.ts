import { addressNetworkKey, limitKeyOfIpAddress } from '@capstan/contract/addresses'
import { GatewayBounds } from '@capstan/contract/limits'
import { SeatCounts } from '@capstan/contract/seat-counts'
import type { GatewayLimitSettings } from './settings.ts'

export type HubBound =
  | 'hub-sockets'
  | 'hub-address'
  | 'hub-network'
  | 'hub-user'
  | 'hub-unfinished'
  | 'hub-unfinished-address'
  | 'hub-unfinished-network'

export interface HubSeat {
  /**
   * Counts the socket for the limit of a user, or for the limits of its address and network if there is no user. Call this once,
   * before the upgrade.
   * @returns the limit that the socket would exceed, undefined if none
   */
  assignUser(userId: string | undefined): HubBound | undefined
  /** Marks the handshake as complete, so that the socket no longer counts as unfinished. */
  finish(): void
  /** Ends the counting of the socket. Idempotent. */
  leave(): void
}

/**
 * Limits of the hub sockets of this process. All sockets together, the sockets of each user, and sockets with an
 * unfinished handshake have limits. A socket without a user counts for its address and the network of the address. A
 * seat is a counted socket.
 */
export class HubSeats {
  readonly #counts = new SeatCounts()
  readonly #limits: GatewayLimitSettings

  constructor(limits: GatewayLimitSettings) {
    this.#limits = limits
  }

  /**
   * Counts a socket.
   * @returns the seat of the socket, or the limit that the socket would exceed
   * @param address the client's address
   */
  enter(address: string): HubSeat | HubBound {
    const [addressKey, networkKey] = [limitKeyOfIpAddress(address), addressNetworkKey(address)]
    const { addressesPerNetwork } = GatewayBounds
    const counts = this.#counts
    const { hubSockets, hubSocketsPerAddress, hubSocketsPerUser, unfinishedHubSocketsPerAddress } = this.#limits
    const unfinished = {
      all: 'unfinished',
      ofAddress: `unfinished-address:${addressKey}`,
      ofNetwork: `unfinished-network:${networkKey}`,
    }
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
      ['hub-unfinished-network', unfinished.ofNetwork, unfinishedHubSocketsPerAddress * addressesPerNetwork],
    ]
    for (const [bound, name, limit] of needed) {
      if (take(name, limit)) continue
      leave([...taken])
      return bound
    }
    return {
      assignUser(userId) {
        if (userId !== undefined) return take(`user:${userId}`, hubSocketsPerUser) ? undefined : 'hub-user'
        if (!take(`address:${addressKey}`, hubSocketsPerAddress)) return 'hub-address'
        return take(`network:${networkKey}`, hubSocketsPerAddress * addressesPerNetwork) ? undefined : 'hub-network'
      },
      finish: () => leave(Object.values(unfinished)),
      leave: () => leave([...taken]),
    }
  }
}
