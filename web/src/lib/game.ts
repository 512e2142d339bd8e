import type { LeadingBoard } from '@capstan/contract/board-parts'
import type { BoardView } from '@capstan/contract/board-view'
import type { ChallengeMarks } from '@capstan/contract/challenge-labels'
import type { TeamInstance } from '@capstan/contract/challenges'
import type { GameDetail, GameSummary } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import * as phases from '@capstan/contract/phases'
import type { PlayerBoard, Scoreboard } from '@capstan/contract/scoreboard'
import { useParams } from 'react-router'
import type { SWRConfiguration, SWRResponse } from 'swr'
import { addressOfCall } from './http.ts'
import { useHub } from './live.ts'
import { createBoardInput, isSameBoard, readLeadingBoard, readScoreboard } from './scoreboard.ts'
import { type CallFailure, refreshCall, refreshCallsWithPrefix, useCall } from './server-state.ts'

function timesOf({ start, end }: Pick<GameSummary, 'start' | 'end'>) {
  return { start: new Date(start), end: new Date(end) }
}

/**
 * Returns the phase of a game.
 * @param now current time, in ms
 */
export function phaseOfGame(game: Pick<GameSummary, 'start' | 'end'>, now: number): GamePhase {
  return phases.gamePhaseOf(timesOf(game), new Date(now))
}

/**
 * Returns the instant at which the board froze, in ms.
 * @param now current time, in ms
 * @returns undefined before the freeze and after the reveal, when players see the live board
 */
export function findFreezeInstant(
  { freeze, revealed }: Pick<GameDetail, 'freeze' | 'revealed'>,
  now: number,
): number | undefined {
  if (freeze == null) return undefined
  const times = { freeze: new Date(freeze), revealed: revealed == null ? null : new Date(revealed) }
  return phases.isFrozen(new Date(now), times) ? freeze : undefined
}

/**
 * True if challenges can be viewed.
 * @param now current time, in ms
 */
export function areChallengesViewable(game: Pick<GameDetail, 'start' | 'end' | 'practiceMode'>, now: number): boolean {
  return phases.isGamePlayable({ ...timesOf(game), practiceMode: game.practiceMode }, new Date(now))
}

/**
 * Returns a number that is part of the address. Returns undefined if the address has no such part, or if the part is not a positive
 * integer.
 */
export function useNumberInAddress(name: 'id' | 'chalId'): number | undefined {
  const text = useParams()[name]
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

/** Returns the id of the game in the address of the page. @throws Error outside of the pages of a game */
export function useGameId(): number {
  const id = useNumberInAddress('id')
  if (id === undefined) throw new Error('There is no game in this address')
  return id
}

export function useGame(id: number): SWRResponse<GameDetail, CallFailure> {
  return useCall(operations.getGame, { params: { id } })
}

/** True for a player of an accepted team while the game can be played. */
function isPlaying(game: GameDetail | undefined, now: number): game is GameDetail {
  return game !== undefined && game.status === 'Accepted' && areChallengesViewable(game, now)
}

/** Reads the caller's board, for players of an accepted team while the game can be played. */
export function usePlayerBoard(game: GameDetail | undefined, now: number): SWRResponse<PlayerBoard, CallFailure> {
  return useCall(operations.getPlayerBoard, isPlaying(game, now) ? { params: { id: game.id } } : null)
}

/**
 * Reads the labels of a game's challenges, and whether each challenge has an instance or a file. This data rarely changes, so a
 * component reads it again only if a challenge is missing.
 */
export function useChallengeMarks(gameId: number): SWRResponse<ChallengeMarks[], CallFailure> {
  return useCall(ownOperations.listChallengeMarks, { params: { id: gameId } }, { refreshInterval: 0 })
}

/** Reads the scoreboard of a game, and later only its changes. Reads nothing if `gameId` is undefined. */
export function useScoreboard(
  gameId: number | undefined,
  { view = 'public', ...options }: SWRConfiguration<Scoreboard, CallFailure> & { readonly view?: BoardView } = {},
): SWRResponse<Scoreboard, CallFailure> {
  return useCall(operations.getScoreboard, gameId === undefined ? null : createBoardInput(gameId, view), {
    ...options,
    compare: isSameBoard,
    read: (known) => readScoreboard(gameId ?? 0, known, view),
  })
}

/** Reads the leading teams of a scoreboard once, without later refreshes. Reads nothing if `gameId` is undefined. */
export function useLeadingBoard(gameId: number | undefined, view: BoardView = 'public'): SWRResponse<LeadingBoard, CallFailure> {
  return useCall(ownOperations.getLeadingBoard, gameId === undefined ? null : createBoardInput(gameId, view), {
    refreshInterval: 0,
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
    shouldRetryOnError: false,
    read: () => readLeadingBoard(gameId ?? 0, view),
  })
}

/**
 * Returns the address of the call that reads a game's board. The addresses of calls that read parts of the board start with this
 * address.
 */
export function addressOfBoard(gameId: number): string {
  return addressOfCall(operations.getScoreboard, { params: { id: gameId } })
}

/**
 * Returns the running instances of the user's team in a game. Any member may have started them. The list of instances has the same
 * refresh rules as the player's board.
 */
export function useTeamInstances(game: GameDetail | undefined, now: number): readonly TeamInstance[] {
  const isAllowed = isPlaying(game, now)
  const read = () => void (game && readTeamInstances(game.id))
  const connection = useHub('user', game?.id, { teamInstances: read, reconnected: read }, isAllowed)
  const { data } = useCall(
    ownOperations.listTeamInstances,
    isAllowed ? { params: { id: game.id } } : null,
    // While the hub is connected, only its messages trigger reads.
    connection === 'live' ? { refreshInterval: 0 } : {},
  )
  return (data ?? []).filter(({ expectStopAt }) => Date.parse(expectStopAt) > now)
}

/**
 * Reads the team's instances and the visible challenges again. Both responses contain the addresses and end times of instances.
 */
function readTeamInstances(gameId: number): Promise<unknown> {
  return Promise.all([
    refreshCall(ownOperations.listTeamInstances, { params: { id: gameId } }),
    refreshCallsWithPrefix(`/api/game/${gameId}/challenges`),
  ])
}

/** True if the game lasts longer than a day. A time of such a game is ambiguous without a date. */
export function isGameLongerThanDay({ start, end }: Pick<GameSummary, 'start' | 'end'>): boolean {
  return Date.parse(end) - Date.parse(start) > 86_400_000
}
