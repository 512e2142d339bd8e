import { recordKinds } from '@capstan/contract/vocabulary'
import type { Rows } from '@capstan/db/reader'
import type { RecordKind, ScoreRecord } from '../../rules/scoring/records.ts'

type RecordRow = Readonly<{
  kind: RecordKind
  key: string
  time: number
  /** Value of the row as JSON. Null if the row was deleted or revoked. */
  value: string | null
}>

/**
 * Strings of the record kinds. All records share these strings to save memory, because the driver creates separate strings for each
 * record.
 */
const kinds = new Map(recordKinds.map((kind) => [kind, kind]))

/**
 * Returns the records of a game, sorted by id.
 * @param since snapshot of an earlier read. Records in this snapshot are omitted. Default: no record is omitted
 */
export async function loadScoreRecords({ rows }: Rows, gameId: number, since?: string): Promise<ScoreRecord[]> {
  const columns = 'kind, key, floor(extract(epoch from time) * 1000)::float8 as time, value::text'
  const found =
    since === undefined
      ? await rows<RecordRow>(`select ${columns} from score_records where game_id = $1 order by id`, [gameId])
      : await rows<RecordRow>(
          `select ${columns} from score_records
          where game_id = $1 and transaction >= pg_snapshot_xmin($2::text::pg_snapshot)
            and not pg_visible_in_snapshot(transaction, $2::text::pg_snapshot)
          order by id`,
          [gameId, since],
        )
  // The check constraint and the function `score_record` of the database ensure that each value has the fields of its kind.
  return found.map(
    ({ kind, key, time, value }) =>
      ({ kind: kinds.get(kind), key, time, value: value === null ? null : JSON.parse(value) }) as ScoreRecord,
  )
}
