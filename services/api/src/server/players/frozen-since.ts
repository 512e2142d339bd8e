import { isFrozen } from '@capstan/contract/phases'

type FreezableGame = Readonly<{
  freezeAt: Date | null
  revealedAt: Date | null
}>

/** Returns the instant of the freeze while the board of a game is frozen, else null. */
export function findFreezeInstant({ freezeAt, revealedAt }: FreezableGame, now: Date): Date | null {
  return isFrozen(now, { freeze: freezeAt, revealed: revealedAt }) ? freezeAt : null
}
