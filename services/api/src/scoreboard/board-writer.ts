import { createHash } from 'node:crypto'
import type { ChallengeSolvers } from '@capstan/contract/board-parts'
import { tiesOf } from '@capstan/contract/board-rules'
import type { Scoreboard, ScoreboardTeam } from '@capstan/contract/scoreboard'

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

const comma = ','.charCodeAt(0)

/** More memory than the bytes need, so that the boards after it find place too. */
const growth = 1 / 16

/**
 * @param spare memory that nobody reads any more
 * @param last what the last board was written into, which is read
 */
const place = (length: number, spare: SharedArrayBuffer | undefined, last: SharedArrayBuffer): Uint8Array<SharedArrayBuffer> => {
  const fits = spare !== undefined && spare !== last && spare.byteLength >= length && spare.byteLength <= 2 * length
  return new Uint8Array(fits ? spare : new SharedArrayBuffer(Math.ceil(length * (1 + growth))), 0, length)
}

export type BoardWriter = (board: Scoreboard, spare?: SharedArrayBuffer) => Omit<BoardContent, 'solvers'>

interface WrittenBoard extends Pick<BoardContent, 'bytes' | 'offsets' | 'etag'> {
  /** Place of each row. */
  readonly places: ReadonlyMap<ScoreboardTeam, number>
}

const nothing: WrittenBoard = {
  bytes: new Uint8Array(new SharedArrayBuffer(0)),
  offsets: new Uint32Array(1),
  etag: '',
  places: new Map(),
}

/**
 * Writes the boards of one game, one after the other: a row that is the same object as in the last one is copied from it.
 * The tag goes by everything but the time of building, so that an equal board keeps its tag, on every replica.
 */
export const createBoardWriter = (): BoardWriter => {
  let last = nothing
  const rowOf = (team: ScoreboardTeam): Uint8Array => {
    const { bytes, offsets, places } = last
    const index = places.get(team) ?? -1
    const [from, next] = [offsets[index], offsets[index + 1]]
    return from === undefined || next === undefined ? Buffer.from(JSON.stringify(team)) : bytes.subarray(from, next - 1)
  }
  return ({ updateTimeUtc, items, challenges, challengeCount, ...head }, spare) => {
    const start = Buffer.from(`{"updateTimeUtc":${JSON.stringify(updateTimeUtc)},`)
    const beginning = Buffer.concat([start, Buffer.from(`${JSON.stringify(head).slice(1, -1)},"items":[`)])
    const ending = Buffer.from(`],"challenges":${JSON.stringify(challenges)},"challengeCount":${challengeCount}}`)
    const rows = items.map(rowOf)
    const offsets = new Uint32Array(items.length + 1)
    let offset = beginning.length
    for (const [index, row] of rows.entries()) {
      offsets[index] = offset
      offset += row.length + 1
    }
    offsets[items.length] = offset
    const end = items.length > 0 ? offset - 1 : offset
    const bytes = place(end + ending.length, spare, last.bytes.buffer)
    bytes.set(beginning)
    for (const [index, row] of rows.entries()) {
      const at = offsets[index] ?? 0
      if (index > 0) bytes[at - 1] = comma
      bytes.set(row, at)
    }
    bytes.set(ending, end)
    const digest = createHash('sha256').update('{').update(bytes.subarray(start.length)).digest('base64url').slice(0, 16)
    const teamIds = Int32Array.from(items, ({ id }) => id)
    const etag = `W/"${digest}"`
    // Of an equal board the earlier bytes stay with whoever has them, and the memory of these is taken back.
    const kept = etag === last.etag ? last : { bytes, offsets, etag }
    last = { ...kept, places: new Map(items.map((team, index) => [team, index])) }
    return { updateTimeUtc, challenges, challengeCount, bytes, etag, teamIds, offsets, ties: tiesOf(items) }
  }
}
