import type { UnlockRule } from '@capstan/contract/unlock'
import type { Player } from './service.ts'

/** Challenge with the rule that unlocks it. */
export type RuledChallenge = Readonly<{
  id: number
  unlockRule: UnlockRule | null
}>

/** Checks whether teams have unlocked challenges. Rules: docs/contract/challenges.md#unlocking. */
export interface LockService {
  isLocked(player: Player, challenge: RuledChallenge): Promise<boolean>
  /** @throws Problem `challenge.locked`, or `challenge.unknown` if the challenge is hidden or not on the board yet */
  refuse(player: Player, challenge: RuledChallenge): Promise<void>
}
