import { createHash } from 'node:crypto'
import type { ChallengeSolvers } from '@capstan/contract/board-parts'
import { tiesOf } from '@capstan/contract/board-rules'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'
import { keptBytes } from '../http/kept-bytes.ts'

/** A scoreboard as it is sent, with what is looked up in it. */
export interface BoardContent extends Pick<Scoreboard, 'updateTimeUtc' | 'challenges' | 'challengeCount'> {
  /** All of it as JSON, in memory that the threads share. */
  readonly bytes: Uint8Array<SharedArrayBuffer>
  readonly etag: string
  readonly teamIds: Int32Array<ArrayBuffer>
  /** Where in `bytes` the row of each team begins; one more than there are teams, a comma before each. */
  readonly offsets: Uint32Array<ArrayBuffer>
  readonly ties: readonly (readonly number[])[]
  /** By challenge of the board. */
  readonly solvers: ReadonlyMap<number, ChallengeSolvers>
}

const comma = Buffer.from(',')

/** More memory than the bytes need, so that the boards after it find place too. */
const growth = 1 / 16

/** @param spare memory that nobody reads any more */
const place = (length: number, spare: SharedArrayBuffer | undefined): Uint8Array<SharedArrayBuffer> => {
  const fits = spare !== undefined && spare.byteLength >= length && spare.byteLength <= 2 * length
  return new Uint8Array(fits ? spare : new SharedArrayBuffer(Math.ceil(length * (1 + growth))), 0, length)
}

export type BoardWriter = (board: Scoreboard, spare?: SharedArrayBuffer) => Omit<BoardContent, 'solvers'>

/**
 * Writes the boards of one game, one after the other: a row that is the same object as in the last one is not written again.
 * The tag goes by everything but the time of building, so that an equal board keeps its tag, on every replica.
 */
export const createBoardWriter = (): BoardWriter => {
  const known = new WeakMap<ScoreboardTeam, Buffer<ArrayBuffer>>()
  const rowOf = (team: ScoreboardTeam) => {
    const row = known.get(team) ?? keptBytes(Buffer.from(JSON.stringify(team)))
    known.set(team, row)
    return row
  }
  return ({ updateTimeUtc, items, challenges, challengeCount, ...head }, spare) => {
    const rows = items.map(rowOf)
    const headJson = JSON.stringify(head)
    const start = Buffer.from(`{"updateTimeUtc":${JSON.stringify(updateTimeUtc)},`)
    const parts = [start, Buffer.from(`${headJson.slice(1, -1)},"items":[`)]
    const offsets = new Uint32Array(items.length + 1)
    let offset = parts.reduce((sum, { length }) => sum + length, 0)
    for (const [index, row] of rows.entries()) {
      if (index > 0) parts.push(comma)
      parts.push(row)
      offsets[index] = offset
      offset += row.length + 1
    }
    offsets[items.length] = offset
    parts.push(Buffer.from(`],"challenges":${JSON.stringify(challenges)},"challengeCount":${challengeCount}}`))
    const bytes = place(
      parts.reduce((sum, { length }) => sum + length, 0),
      spare,
    )
    let written = 0
    for (const part of parts) {
      bytes.set(part, written)
      written += part.length
    }
    const digest = createHash('sha256').update('{').update(bytes.subarray(start.length)).digest('base64url').slice(0, 16)
    const teamIds = Int32Array.from(items, ({ id }) => id)
    const etag = `W/"${digest}"`
    return { updateTimeUtc, challenges, challengeCount, bytes, etag, teamIds, offsets, ties: tiesOf(items) }
  }
}
