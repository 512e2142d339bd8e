import type { ChallengeView } from '@capstan/contract/challenges'
import type { GameDetail, GameSummary } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { GamePhase } from '@capstan/contract/phases'
import * as phases from '@capstan/contract/phases'
import type { PlayerBoard, Scoreboard } from '@capstan/contract/scoreboard'
import { useParams } from 'react-router'
import { type SWRConfiguration, type SWRResponse, useSWRConfig } from 'swr'
import { readScoreboard } from './scoreboard.ts'
import { type CallFailure, useCall } from './server-state.ts'

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

/** The caller's own view; asked only by players of an accepted team while the game can be played. */
export function usePlayerBoard(game: GameDetail | undefined, now: number): SWRResponse<PlayerBoard, CallFailure> {
  const allowed = game !== undefined && game.status === 'Accepted' && isPlayable(game, now)
  return useCall(operations.getPlayerBoard, allowed ? { params: { id: game.id } } : null)
}

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

export interface RunningInstance {
  readonly challengeId: number
  readonly title: string
  /** Instant, UTC. */
  readonly closeTime: string
}

/** Instances of this game as far as this browser has seen them: out of the answers already in the cache. */
export function useRunningInstances(gameId: number, now: number): readonly RunningInstance[] {
  const { cache } = useSWRConfig()
  const prefix = `/api/game/${gameId}/challenges/`
  return [...cache.keys()]
    .filter((key) => key.startsWith(prefix) && !key.includes('/status/'))
    .flatMap((key) => {
      const view = cache.get(key)?.data as ChallengeView | undefined
      const closeTime = view?.context?.closeTime
      if (!view || !closeTime || !view.context.instanceEntry || Date.parse(closeTime) <= now) return []
      return [{ challengeId: view.id, title: view.title, closeTime }]
    })
    .sort((one, other) => Date.parse(one.closeTime) - Date.parse(other.closeTime))
}
