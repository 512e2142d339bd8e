import type { GamePhase } from '@capstan/contract/phases'
import type { ConnectionState } from '../../lib/live.ts'

/** Is the state of the connection worth a word? After the end nothing comes live, and only what is wrong is. */
export function isConnectionShown(phase: GamePhase, state: Exclude<ConnectionState, 'idle'> | 'offline'): boolean {
  return phase !== 'ended' || state === 'offline' || state === 'reconnecting'
}
