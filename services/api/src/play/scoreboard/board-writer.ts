import { createHash } from 'node:crypto'
import type { ChallengeSolvers } from '@capstan/contract/board-parts'
import { listTies } from '@capstan/contract/board-rules'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { solversByChallenge } from '../../rules/scoring/ranking.ts'

export type BoardContent = Pick<Scoreboard, 'updateTimeUtc' | 'challenges' | 'challengeCount'> &
  Readonly<{
    bytes: Uint8Array<ArrayBuffer>
    etag: string
    teamIds: Int32Array<ArrayBuffer>
    /** Number of teams with an overall rank. They precede the other teams. */
    rankedCount: number
    /** Number of teams with an overall rank and at least one solve. */
    scoredCount: number
    /** Map from the name of a division to its number of teams. Divisions without teams are omitted. */
    divisionSizes: ReadonlyMap<string, number>
    /**
     * Offsets in `bytes` at which the rows of the teams begin, and the offset at which the last row ends. A comma precedes each row
     * except the first.
     */
    offsets: Uint32Array<ArrayBuffer>
    ties: readonly (readonly number[])[]
    solvers: ReadonlyMap<number, ChallengeSolvers>
  }>

const comma = ','.charCodeAt(0)

/**
 * Serializes a board. The ETag does not depend on the build time, so equal boards have equal tags on every replica.
 * @param isFrozen true if `updateTimeUtc` is the time of the freeze. In this case, the ETag also depends on `updateTimeUtc`
 */
export function writeBoard(board: Scoreboard, isFrozen: boolean): BoardContent {
  const { updateTimeUtc, items, challenges, challengeCount, ...head } = board
  const start = Buffer.from(`{"updateTimeUtc":${JSON.stringify(updateTimeUtc)},`)
  const beginning = Buffer.concat([start, Buffer.from(`${JSON.stringify(head).slice(1, -1)},"items":[`)])
  const ending = Buffer.from(`],"challenges":${JSON.stringify(challenges)},"challengeCount":${challengeCount}}`)
  const rows = items.map((team) => Buffer.from(JSON.stringify(team)))
  const offsets = new Uint32Array(items.length + 1)
  let offset = beginning.length
  for (const [index, row] of rows.entries()) {
    offsets[index] = offset
    offset += row.length + 1
  }
  offsets[items.length] = offset
  const end = items.length > 0 ? offset - 1 : offset
  const bytes = new Uint8Array(end + ending.length)
  bytes.set(beginning)
  for (const [index, row] of rows.entries()) {
    const at = offsets[index] ?? 0
    if (index > 0) bytes[at - 1] = comma
    bytes.set(row, at)
  }
  bytes.set(ending, end)
  const digest = createHash('sha256')
    .update('{')
    .update(bytes.subarray(isFrozen ? 1 : start.length))
    .digest('base64url')
    .slice(0, 16)
  const teamIds = Int32Array.from(items, ({ id }) => id)
  const ranked = items.filter(({ rank }) => rank > 0)
  return {
    ...{ updateTimeUtc, challenges, challengeCount, bytes, etag: `W/"${digest}"`, teamIds, offsets },
    ...{ rankedCount: ranked.length, scoredCount: ranked.filter(({ solvedCount }) => solvedCount > 0).length },
    // Ranks in a division are consecutive, so the last rank equals the number of teams in the division.
    divisionSizes: new Map(
      items.flatMap(({ organization, organizationRank }) =>
        organization === null ? [] : [[organization, organizationRank ?? 0] as const],
      ),
    ),
    ...{ ties: listTies(items), solvers: solversByChallenge(board) },
  }
}
