import type { UnlockRule } from '@capstan/contract/unlock'
import type { Player } from './service.ts'

/** Challenge with its unlock rule. */
export type RuledChallenge = Readonly<{
  id: number
  unlockRule: UnlockRule | null
}>

/** Checks whether challenges are open for teams. Rules: docs/contract/challenges.md#unlocking. */
export interface LockService {
  isLocked(player: Player, challenge: RuledChallenge): Promise<boolean>
  /** @throws Problem `challenge.locked`, or `challenge.unknown` for a hidden challenge and one that the board does not know yet */
  refuse(player: Player, challenge: RuledChallenge): Promise<void>
}
