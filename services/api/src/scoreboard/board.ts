import { createHash } from 'node:crypto'
import type { GameTimes } from '@capstan/contract/phases'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { ReadyAnswer } from '../http/ready-answer.ts'

/** The last built scoreboard of a game. */
export interface Board {
  readonly answer: ReadyAnswer
  readonly times: GameTimes
  readonly scoreboard: Scoreboard
  /** Standing by team id. */
  readonly standings: ReadonlyMap<number, ScoreboardTeam>
}

/**
 * The JSON, made once as it is large. Its tag goes by everything but the time of building, so that an equal board keeps its tag,
 * on every replica.
 */
const serialise = ({ updateTimeUtc, ...content }: Scoreboard): { readonly json: string; readonly etag: string } => {
  const rest = JSON.stringify(content)
  const digest = createHash('sha256').update(rest).digest('base64url').slice(0, 16)
  return { json: `{"updateTimeUtc":${JSON.stringify(updateTimeUtc)},${rest.slice(1)}`, etag: `W/"${digest}"` }
}

/** @param before the board so far: kept as it is, with its time of building, when nothing in it has changed */
export const createBoard = (scoreboard: Scoreboard, times: GameTimes, before: Board | undefined): Board => {
  const { json, etag } = serialise(scoreboard)
  if (before?.answer.etag === etag) return { ...before, times }
  const standings = new Map(scoreboard.items.map((team) => [team.id, team]))
  return { answer: new ReadyAnswer(json, etag), times, scoreboard, standings }
}
