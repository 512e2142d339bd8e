import type { LeadingBoard } from '@capstan/contract/board-parts'
import type { ChallengeMarks } from '@capstan/contract/challenge-labels'
import type { TeamInstance } from '@capstan/contract/challenges'
import type { GameDetail, GameSummary } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import * as phases from '@capstan/contract/phases'
import type { PlayerBoard, Scoreboard } from '@capstan/contract/scoreboard'
import { useParams } from 'react-router'
import type { SWRConfiguration, SWRResponse } from 'swr'
import { addressOf } from './http.ts'
import { useHub } from './live.ts'
import { readLeadingBoard, readScoreboard } from './scoreboard.ts'
import { type CallFailure, refresh, refreshUnder, useCall } from './server-state.ts'

const timesOf = ({ start, end }: Pick<GameSummary, 'start' | 'end'>) => ({ start: new Date(start), end: new Date(end) })

/** Phase of a game as the wire describes it. @param now milliseconds */
export const phaseOf = (game: Pick<GameSummary, 'start' | 'end'>, now: number): GamePhase =>
  phases.phaseOf(timesOf(game), new Date(now))

/** May challenges be looked at now? @param now milliseconds */
export const isPlayable = (game: Pick<GameDetail, 'start' | 'end' | 'practiceMode'>, now: number): boolean =>
  phases.isPlayable({ ...timesOf(game), practiceMode: game.practiceMode }, new Date(now))

/** A numeric part of the address; undefined if absent or not a positive whole number. */
export function useNumberParam(name: 'id' | 'chalId'): number | undefined {
  const text = useParams()[name]
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

/** The game of the address. Inside the game layout it is known to exist. */
export function useGameId(): number {
  const id = useNumberParam('id')
  if (id === undefined) throw new Error('There is no game in this address')
  return id
}

export const useGame = (id: number): SWRResponse<GameDetail, CallFailure> => useCall(operations.getGame, { params: { id } })

/** A player of an accepted team while the game can be played. */
const isPlaying = (game: GameDetail | undefined, now: number): game is GameDetail =>
  game !== undefined && game.status === 'Accepted' && isPlayable(game, now)

/** The caller's own view; asked only by players of an accepted team while the game can be played. */
export const usePlayerBoard = (game: GameDetail | undefined, now: number): SWRResponse<PlayerBoard, CallFailure> =>
  useCall(operations.getPlayerBoard, isPlaying(game, now) ? { params: { id: game.id } } : null)

/** What the challenges of a game are marked with, by challenge. They seldom change: whoever sees that one is missing asks again. */
export const useChallengeMarks = (gameId: number): SWRResponse<ChallengeMarks[], CallFailure> =>
  useCall(ownOperations.listChallengeMarks, { params: { id: gameId } }, { refreshInterval: 0 })

/** Boards can be large: two answers are the same when they were built at the same time. */
const isSameBoard = (one: Scoreboard | undefined, other: Scoreboard | undefined) => one?.updateTimeUtc === other?.updateTimeUtc

/** The scoreboard of a game, kept fresh by its changes; undefined: not asked for. */
export const useScoreboard = (
  gameId: number | undefined,
  options?: SWRConfiguration<Scoreboard, CallFailure>,
): SWRResponse<Scoreboard, CallFailure> =>
  useCall(operations.getScoreboard, gameId === undefined ? null : { params: { id: gameId } }, {
    ...options,
    compare: isSameBoard,
    read: (known) => readScoreboard(gameId ?? 0, known),
  })

/**
 * The leading teams of a scoreboard, read once: for a screen that goes on with the whole, or whose game is over. Undefined: not asked
 * for.
 */
export const useLeadingBoard = (gameId: number | undefined): SWRResponse<LeadingBoard, CallFailure> =>
  useCall(ownOperations.getLeadingBoard, gameId === undefined ? null : { params: { id: gameId } }, {
    refreshInterval: 0,
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
    shouldRetryOnError: false,
    read: () => readLeadingBoard(gameId ?? 0),
  })

/** Where a game's board and its parts are read. */
export const boardAddress = (gameId: number): string => addressOf(operations.getScoreboard, { params: { id: gameId } })

/** What the own team runs in a game and still has time left, whoever of it started it. Asked as the player's own view. */
export function useTeamInstances(game: GameDetail | undefined, now: number): readonly TeamInstance[] {
  const isAllowed = isPlaying(game, now)
  const read = () => void (game && readTeamInstances(game.id))
  const connection = useHub('user', game?.id, { teamInstances: read, reconnected: read }, isAllowed)
  const { data } = useCall(
    ownOperations.listTeamInstances,
    isAllowed ? { params: { id: game.id } } : null,
    // While the hub is there it says when to read.
    connection === 'live' ? { refreshInterval: 0 } : {},
  )
  return (data ?? []).filter(({ expectStopAt }) => Date.parse(expectStopAt) > now)
}

/** Reads again what the own team runs, with the challenges that are shown: their addresses and times are in them. */
const readTeamInstances = (gameId: number): Promise<unknown> =>
  Promise.all([
    refresh(ownOperations.listTeamInstances, { params: { id: gameId } }),
    refreshUnder(`/api/game/${gameId}/challenges`),
  ])

/** True if the game lasts longer than a day, so that a clock time alone is ambiguous. */
export const isLong = ({ start, end }: Pick<GameSummary, 'start' | 'end'>): boolean =>
  Date.parse(end) - Date.parse(start) > 86_400_000
