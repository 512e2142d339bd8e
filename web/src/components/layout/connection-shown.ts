import type { GamePhase } from '@capstan/contract/phases'
import type { ConnectionState } from '../../lib/live.ts'

/**
 * True if the status strip shows the state of the connection. After the end of the game there are no live updates, so the strip
 * shows only connection faults.
 */
export function isConnectionShown(phase: GamePhase, state: Exclude<ConnectionState, 'idle'> | 'offline'): boolean {
  return phase !== 'ended' || state === 'offline' || state === 'reconnecting'
}
