import type { ChallengeView } from '@capstan/contract/challenges'
import type { GameDetail, GameSummary } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { PlayerBoard, Scoreboard } from '@capstan/contract/scoreboard'
import { useParams } from 'react-router'
import { type SWRConfiguration, type SWRResponse, useSWRConfig } from 'swr'
import { type CallFailure, useCall } from './server-state.ts'

export type GamePhase = 'upcoming' | 'running' | 'ended'

/** Phase at an instant, milliseconds. Running means start <= now <= end. */
export function phaseOf(game: Pick<GameSummary, 'start' | 'end'>, now: number): GamePhase {
  if (now < Date.parse(game.start)) return 'upcoming'
  return now <= Date.parse(game.end) ? 'running' : 'ended'
}

/** May challenges be looked at now? Practice mode keeps them after the end. */
export const isPlayable = (game: Pick<GameDetail, 'start' | 'end' | 'practiceMode'>, now: number): boolean =>
  phaseOf(game, now) === 'running' || (phaseOf(game, now) === 'ended' && game.practiceMode)

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

/** The scoreboard of a game; undefined: not asked for. */
export const useScoreboard = (
  gameId: number | undefined,
  options?: SWRConfiguration<Scoreboard, CallFailure>,
): SWRResponse<Scoreboard, CallFailure> =>
  useCall(operations.getScoreboard, gameId === undefined ? null : { params: { id: gameId } }, {
    ...options,
    compare: isSameBoard,
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
