import type { WholeChallenge } from '@capstan/contract/challenge'
import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { ChallengeSource, GameSource } from '@capstan/contract/sources'
import type { Platform } from '../platform.ts'

/** A challenge as the platform has it. */
export interface PresentChallenge extends WholeChallenge {
  /** What is noted of its file; undefined: it comes from none. */
  readonly source: ChallengeSource | undefined
}

/** A game as the platform has it. */
export interface PresentGame {
  readonly game: AdminGame
  readonly source: GameSource
  readonly challenges: readonly PresentChallenge[]
}

export const readGame = async (platform: Platform, gameId: number): Promise<PresentGame> => {
  const params = { id: gameId }
  const [game, source, challenges] = await Promise.all([
    platform.call(operations.adminGetGame, { params }),
    platform.call(ownOperations.getGameSource, { params }),
    platform.call(ownOperations.listWholeChallenges, { params }),
  ])
  const sources = new Map(source.challenges.map((each) => [each.id, each]))
  return { game, source, challenges: challenges.map((each) => ({ ...each, source: sources.get(each.id) })) }
}

/** The game that files of this name are applied to; undefined: none. */
export const findGame = async (platform: Platform, name: string): Promise<number | undefined> =>
  (await platform.call(ownOperations.findSourcedGame, { params: { name } })).id ?? undefined
