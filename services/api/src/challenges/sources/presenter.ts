import type { ChallengeSource, GameSource } from '@capstan/contract/sources'
import type { ChallengeSourceRow, GameSourceRow } from './repository.ts'

const textOf = (instant: Date | null | undefined): string | null => instant?.toISOString() ?? null

export const presentChallengeSource = (row: ChallengeSourceRow): ChallengeSource => ({
  id: row.challengeId,
  name: row.name,
  remembered: row.remembered,
  appliedAt: textOf(row.appliedAt),
})

export const presentGameSource = (game: GameSourceRow | undefined, challenges: readonly ChallengeSourceRow[]): GameSource => ({
  name: game?.name ?? null,
  remembered: game?.remembered ?? {},
  appliedAt: textOf(game?.appliedAt),
  challenges: challenges.map(presentChallengeSource),
})
