import type { BoardView } from '@capstan/contract/board-view'
import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import type { Scoreboard, SolvedChallenge } from '@capstan/contract/scoreboard'
import { useEffect, useState } from 'react'
import { useLeadingBoard, usePlayerBoard, useScoreboard } from '../../lib/game.ts'
import { createBoardInput } from '../../lib/scoreboard.ts'
import { isNotStartedError, useCall, useIsCallDataKnown } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { waitForIdle } from '../../lib/when-idle.ts'
import { listTeamsWithHigherScore } from './standings.ts'

/**
 * Reads the board of a game: first its leading teams, then all teams. `early` is true if the game has not started, according to
 * `phase` or to the server. If the server refuses the read because the game has not started, the read is repeated.
 */
export function useLeadingThenFullScoreboard(gameId: number, phase: GamePhase, view: BoardView) {
  const isAsked = phase !== 'upcoming'
  const isKnown = useIsCallDataKnown(operations.getScoreboard, createBoardInput(gameId, view))
  const { data: leading, error: noLeading } = useLeadingBoard(isAsked && !isKnown ? gameId : undefined, view)
  // The full board may be a hundred times as large as the first rows. Read it after these rows are visible.
  const [isIdle, setIdle] = useState(false)
  const hasLeading = leading !== undefined
  useEffect(() => {
    if (hasLeading) void waitForIdle().then(() => setIdle(true))
  }, [hasLeading])
  const isShown = hasLeading && isIdle
  const { data, error, mutate } = useScoreboard(isAsked && (isKnown || isShown || noLeading) ? gameId : undefined, { view })
  return {
    board: data ?? (error ? undefined : leading),
    teamCount: data?.items.length ?? leading?.teamCount ?? 0,
    error,
    early: !isAsked || isNotStartedError(error),
    retry: () => mutate(),
  }
}

const shownMs = 2500
const noTeams: ReadonlySet<number> = new Set()

/** Returns the teams that scored in the last update. After a short time it returns none. */
export function useTeamsThatJustScored(board: Scoreboard | undefined): ReadonlySet<number> {
  const [known, setKnown] = useState({ board, risen: noTeams })
  if (board && board !== known.board) setKnown({ board, risen: listTeamsWithHigherScore(known.board, board) })
  useEffect(() => {
    if (known.risen.size === 0) return
    const timer = setTimeout(() => setKnown((current) => ({ ...current, risen: noTeams })), shownMs)
    return () => clearTimeout(timer)
  }, [known.risen])
  return known.risen
}

/**
 * Returns the user's team on this board. Names are not unique, so the id must match too. `isExpected` is true while reads that may
 * still find the team are pending.
 * @param isComplete true if the board contains all teams
 */
export function useOwnTeam(game: GameDetail, board: Scoreboard, isComplete: boolean) {
  const { state } = useSession()
  const plays = game.status === 'Accepted'
  const { data: teams, error } = useCall(operations.listOwnTeams, plays && state === 'user' ? {} : null)
  const own = teams?.filter(({ name }) => name === game.teamName).map(({ id }) => id) ?? []
  const id = board.items.find((team) => own.includes(team.id))?.id
  const isPending = state === 'unknown' || (state === 'user' && !error && (!teams || (own.length > 0 && !isComplete)))
  return { id, isExpected: plays && id === undefined && isPending }
}

/**
 * Returns the solves of the user's team since the freeze. Other teams do not see these solves.
 * @param since instant of the freeze, in ms. Undefined outside a freeze
 * @returns undefined outside a freeze, and for users who do not play
 */
export function useOwnSolvesSinceFreeze(
  game: GameDetail | undefined,
  since: number | undefined,
  now: number,
): readonly SolvedChallenge[] | undefined {
  const { data } = usePlayerBoard(since === undefined ? undefined : game, now)
  if (since === undefined) return undefined
  return data?.rank?.solvedChallenges.filter(({ time }) => Date.parse(time) >= since)
}
