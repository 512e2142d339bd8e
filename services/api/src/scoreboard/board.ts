import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { GameTimes } from '@capstan/contract/phases'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)

export type BoardEncoding = 'identity' | 'gzip' | 'br'

/** A scoreboard as it is sent: the same JSON three times, ready made, and its tag. */
export interface BoardBytes {
  readonly etag: string
  readonly bytes: Readonly<Record<BoardEncoding, Buffer>>
}

/** The last built scoreboard of a game. */
export interface Board extends BoardBytes {
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

/**
 * Serialises and compresses, off the event loop where it takes long.
 * @param before the board so far: kept as it is, with its time of building, when nothing in it has changed
 */
export const createBoard = async (scoreboard: Scoreboard, times: GameTimes, before: Board | undefined): Promise<Board> => {
  const { json, etag } = serialise(scoreboard)
  if (before?.etag === etag) return { ...before, times }
  const identity = Buffer.from(json)
  const [gzipped, brotli] = await Promise.all([
    compressGzip(identity, { level: 6 }),
    compressBrotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  ])
  const standings = new Map(scoreboard.items.map((team) => [team.id, team]))
  return { etag, bytes: { identity, gzip: gzipped, br: brotli }, times, scoreboard, standings }
}
