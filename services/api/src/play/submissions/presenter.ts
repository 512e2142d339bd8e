import { pathOfPicture, pathOfStoredFile } from '@capstan/contract/asset-address'
import { createPointsByPlace, solveRankOf } from '@capstan/contract/blood'
import type { ChallengeCategory, ChallengeView } from '@capstan/contract/challenges'
import { canSubmissionScorePoints } from '@capstan/contract/phases'
import { challengeValue } from '@capstan/contract/score'
import type { PlayerBoard, SolvedChallenge } from '@capstan/contract/scoreboard'
import { type Attempts, findCooldownEnd } from '../../rules/flags/attempts.ts'
import type { FlagPart } from '../../rules/flags/parts.ts'
import { hintsVisibleToTeam, listStoredHints } from '../../rules/scoring/hints.ts'
import { ownSolvesDuringFreeze } from '../../rules/scoring/own-row.ts'
import { createUnrankedTeam } from '../../rules/scoring/ranking.ts'
import type { Player } from '../../server/players/service.ts'
import { frozenBoardOfPlayer, standingOfOwnTeam } from '../scoreboard/own-standing.ts'
import type { Board, BoardViews } from '../scoreboard/service.ts'
import { listVisibleChallenges } from '../scoreboard/visible-challenges.ts'
import type { ChallengeRow, ChallengeViewRow, SolveCounts, SolveRow } from './repository.ts'

export function presentPlayerBoard(player: Player, boards: BoardViews, now: Date): PlayerBoard {
  const { game, participation, team } = player
  return {
    ...listVisibleChallenges(player, boards, now),
    rank:
      standingOfOwnTeam(player, boards) ??
      createUnrankedTeam(
        {
          id: team.id,
          name: team.name,
          bio: team.bio,
          avatar: pathOfPicture(team.avatarHash, 'avatar'),
        },
        participation.division,
        player.division?.id ?? null,
      ),
    teamToken: participation.token,
    writeupRequired: game.writeupRequired,
    writeupDeadline: game.writeupDeadline.toISOString(),
  }
}

/**
 * Returns the current value of a challenge on the board. For a challenge that is not on the board, returns the value without
 * solvers.
 */
function presentValue(challenge: ChallengeRow, board: Board | undefined): number {
  return board?.challenges[challenge.category]?.find(({ id }) => id === challenge.id)?.score ?? challengeValue(challenge, 0)
}

function presentAttachment({ challenge, attachment }: ChallengeViewRow): { url: string | null; fileSize: number | null } {
  if (!attachment?.id) return { url: null, fileSize: null }
  if (attachment.fileHash === null) return { url: attachment.remoteUrl, fileSize: null }
  const name = challenge.type === 'DynamicAttachment' ? challenge.fileName : (attachment.fileName ?? 'attachment')
  return { url: pathOfStoredFile(attachment.fileHash, name), fileSize: attachment.sizeBytes }
}

/**
 * Returns a solve in the form in which the next board shows it. Rules: docs/contract/flags-and-scoring.md#values.
 * @param maxSolves the number of solves of the most-solved challenge. 0 if the curve does not need this number
 */
export function presentSolve(
  { challengeId, solvedAt, userName, curve, hasBloods, hasPoints, takesBlood, ...game }: SolveRow,
  { counted, earlier }: SolveCounts,
  maxSolves: number,
): SolvedChallenge {
  const place = hasBloods && takesBlood ? earlier + 1 : 0
  return {
    id: challengeId,
    score: hasPoints ? createPointsByPlace(game)(challengeValue(curve, counted, maxSolves), place) : 0,
    type: solveRankOf(place),
    userName,
    time: solvedAt.toISOString(),
  }
}

/** @returns the solve on the board, or undefined if the board does not show the solve yet */
export function findSolveOnBoard(
  { challengeId, teamId, solvedAt }: SolveRow,
  board: Board | undefined,
): SolvedChallenge | undefined {
  const time = solvedAt.toISOString()
  return board?.standingOf(teamId)?.solvedChallenges.find((solve) => solve.id === challengeId && solve.time === time)
}

/** Returns a solve in the form that its team sees during a freeze. */
export function presentFrozenSolve(
  { challengeId, teamId, solvedAt, userName, hasPoints }: SolveRow,
  board: Board,
): SolvedChallenge {
  return ownSolvesDuringFreeze(frozenBoardOfPlayer(teamId, board))(
    { id: challengeId, time: solvedAt.toISOString(), userName },
    hasPoints,
  )
}

/** Parts of a challenge that only one team sees. */
type TeamView = Readonly<{
  /** Address of the running instance. Undefined if no instance is running. */
  entry: string | undefined
  attempts: Attempts
  /** Ids of the hints that the team has bought. */
  boughtHints: ReadonlySet<string>
  /** Flags that the team must find. */
  parts: readonly FlagPart[]
  found: readonly Readonly<{ flagId: number; foundAt: Date }>[]
  now: Date
  /** End of the game. */
  end: Date
}>

/**
 * Returns the flags that a team must find, sorted by id. The order in which the api compares flags is not suitable, because this
 * order would reveal which flags are patterns.
 */
function presentParts({ parts, found }: Pick<TeamView, 'parts' | 'found'>): ChallengeView['parts'] {
  const times = new Map(found.map(({ flagId, foundAt }) => [flagId, foundAt.getTime()]))
  return parts.toSorted((left, right) => left.id - right.id).map(({ id, points }) => ({ points, foundAt: times.get(id) ?? null }))
}

export function presentChallengeView(
  row: ChallengeViewRow,
  board: Board | undefined,
  { entry, attempts, boughtHints, parts, found, now, end }: TeamView,
): ChallengeView {
  const { texts, offers } = hintsVisibleToTeam(
    listStoredHints(row.challenge),
    boughtHints,
    canSubmissionScorePoints(now, { end }),
  )
  return {
    id: row.challenge.id,
    title: row.challenge.title,
    content: row.challenge.content,
    category: row.challenge.category as ChallengeCategory,
    hints: texts,
    score: presentValue(row.challenge, board),
    type: row.challenge.type,
    context: {
      closeTime: row.instance?.expiresAt.toISOString() ?? null,
      instanceEntry: entry ?? null,
      ...presentAttachment(row),
    },
    deadline: row.challenge.deadlineAt?.getTime() ?? null,
    limit: row.challenge.submissionLimit,
    attempts: attempts.count,
    hintOffers: offers,
    parts: presentParts({ parts, found }),
    nextAttemptAt: findCooldownEnd(row.challenge, attempts, now)?.getTime() ?? null,
  }
}
