import { pathOfPicture } from '@capstan/contract/asset-address'
import { noSubmissionTime } from '@capstan/contract/board-rules'
import { ChallengeCategory } from '@capstan/contract/challenges'
import type { ProfileCategory, ProfileGame, ProfileStanding } from '@capstan/contract/profiles'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import type { TeamRef } from '@capstan/contract/teams'
import type { Board } from '../scoreboard/service.ts'
import type { ProfileGameRow } from './repository.ts'

type Pictured = Readonly<{
  avatarHash: string | null
}>

export function avatarPathOf({ avatarHash }: Pictured): string | null {
  return pathOfPicture(avatarHash, 'avatar')
}

export function presentTeamRef(team: Pictured & Readonly<{ id: number; name: string }>): TeamRef {
  return {
    id: team.id,
    name: team.name,
    avatar: avatarPathOf(team),
  }
}

export function presentFinalStanding(final: NonNullable<ProfileGameRow['final']>): ProfileStanding {
  return {
    rank: final.rank,
    teams: final.teams,
    divisionRank: final.divisionRank,
    divisionTeams: final.divisionTeams,
    score: final.score,
    solved: final.solved,
    lastSolveTime: final.lastSolveAt?.toISOString() ?? null,
  }
}

export function presentStanding(
  standing: ScoreboardTeam,
  { rankedCount, divisionSizes }: Pick<Board, 'rankedCount' | 'divisionSizes'>,
): ProfileStanding {
  return {
    rank: standing.rank,
    teams: rankedCount,
    divisionRank: standing.organizationRank,
    divisionTeams: divisionSizes.get(standing.organization ?? '') ?? null,
    score: standing.score,
    solved: standing.solvedCount,
    lastSolveTime: standing.lastSubmissionTime === noSubmissionTime ? null : standing.lastSubmissionTime,
  }
}

export function presentProfileGame({ game, division, team }: ProfileGameRow, standing: ProfileStanding | null): ProfileGame {
  return {
    id: game.id,
    title: game.title,
    start: game.startsAt.toISOString(),
    end: game.endsAt.toISOString(),
    division,
    team: presentTeamRef(team),
    standing,
  }
}

/** Presents the sums of solves and first bloods by category. The categories have the order of the contract. */
export function presentCategories(
  rows: readonly (Omit<ProfileCategory, 'category'> & { readonly category: string })[],
): ProfileCategory[] {
  return ChallengeCategory.enum.flatMap((category) => {
    const counted = rows.filter((one) => one.category === category)
    const sum = (field: 'solves' | 'firstBloods') => counted.reduce((total, one) => total + one[field], 0)
    return counted.length > 0 ? [{ category, solves: sum('solves'), firstBloods: sum('firstBloods') }] : []
  })
}
