import type { ChallengeSource, GameSource } from '@capstan/contract/sources'
import type { ChallengeSourceRow, GameSourceRow } from './repository.ts'

function textOf(instant: Date | null | undefined): string | null {
  return instant?.toISOString() ?? null
}

export function presentChallengeSource(row: ChallengeSourceRow): ChallengeSource {
  return {
    id: row.challengeId,
    name: row.name,
    remembered: row.remembered,
    appliedAt: textOf(row.appliedAt),
  }
}

export function presentGameSource(game: GameSourceRow | undefined, challenges: readonly ChallengeSourceRow[]): GameSource {
  return {
    name: game?.name ?? null,
    remembered: game?.remembered ?? {},
    appliedAt: textOf(game?.appliedAt),
    challenges: challenges.map(presentChallengeSource),
  }
}
