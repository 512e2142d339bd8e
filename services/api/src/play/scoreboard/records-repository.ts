import type { Rows } from '@capstan/db/reader'
import type { ScoreRecord } from '../../rules/scoring/records.ts'

type RecordRow = Readonly<{
  kind: ScoreRecord['kind']
  key: string
  time: number
  /** JSON. */
  value: string | null
}>

/** Returns the records of a game by id. */
export async function loadRecords({ rows }: Rows, gameId: number): Promise<ScoreRecord[]> {
  const found = await rows<RecordRow>(
    `select kind, key, floor(extract(epoch from time) * 1000)::float8 as time, value::text
    from score_records where game_id = $1 order by id`,
    [gameId],
  )
  // The check constraint and the function `score_record` of the database ensure the shape.
  return found.map(({ value, ...row }) => ({ ...row, value: value === null ? null : JSON.parse(value) }) as ScoreRecord)
}
