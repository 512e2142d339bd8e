import type { UnlockRule } from '@capstan/contract/unlock'
import type { Player } from './service.ts'

/** Challenge with the rule that unlocks it. */
export type RuledChallenge = Readonly<{
  id: number
  unlockRule: UnlockRule | null
}>

/**
 * Checks whether teams have unlocked challenges, for code that must not import the scoreboard. The functions are in
 * play/scoreboard/unlocking.ts, and code in play calls them directly.
 */
export interface ChallengeLocks {
  isLocked(player: Player, challenge: RuledChallenge): Promise<boolean>
  /** @throws Problem `challenge.locked`, or `challenge.unknown` if the challenge is hidden or not on the board yet */
  checkUnlocked(player: Player, challenge: RuledChallenge): Promise<void>
}
