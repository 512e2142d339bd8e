import type { GamePhase } from '@capstan/contract/phases'
import type { ConnectionState } from '../../lib/live.ts'

/**
 * True if the status strip shows the state of the connection. After the end there are no live updates, so only faults are shown.
 */
export function isConnectionShown(phase: GamePhase, state: Exclude<ConnectionState, 'idle'> | 'offline'): boolean {
  return phase !== 'ended' || state === 'offline' || state === 'reconnecting'
}
