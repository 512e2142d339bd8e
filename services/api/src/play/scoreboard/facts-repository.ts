// Reads the names and labels that a board needs but score records do not contain.
import { pathOfPicture } from '@capstan/contract/asset-address'
import type { ChallengeMarks, Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeType } from '@capstan/contract/challenges'
import type { FreezeTimes, GameTimes } from '@capstan/contract/phases'
import type { UnlockRule } from '@capstan/contract/unlock'
import { parseDatabaseInstant, type Reader, type Rows } from '@capstan/db/reader'
import type { RankedTeam } from '../../rules/scoring/ranking.ts'
import type { RuledChallenge, Unlock } from '../../rules/scoring/unlocking.ts'

export type FactsSource = Readonly<{
  reader: Reader
}>

export type BoardTimes = GameTimes & FreezeTimes

/** Properties of a game that do not affect scores. */
export type GameLabels = Readonly<{
  times: BoardTimes
  /** Difficulties and tags of the enabled challenges. */
  marks: readonly ChallengeMarks[]
  /** Unlock rules of the enabled challenges. */
  rules: readonly RuledChallenge[]
  /** Ids of the enabled challenges, including those before their release. */
  enabled: ReadonlySet<number>
}>

export type FeedPosition = Readonly<{
  /** Value of `pg_snapshot` for the transaction that read the data. */
  snapshot: string
  /**
   * Position in the change feed. Every transaction whose number is lower than this position is in the snapshot or was rolled back.
   */
  position: number
}>

type BoardAnnouncements = Readonly<{
  /** Number of the last transaction with a change that is not limited to one team. 0 if there is no such transaction. */
  fullChangeAt: number
  /** For each team id, the number of the last transaction that changed the team's row. */
  teams: ReadonlyMap<number, number>
  /** Number of transactions that changed the team's row, by team id. */
  transactions: ReadonlyMap<number, number>
}>

type Instant = Date | string

type GameRow = Readonly<{
  starts_at: Instant
  ends_at: Instant
  practice_mode: boolean
  writeup_deadline: Instant
  freeze_at: Instant | null
  revealed_at: Instant | null
}>

type ChallengeRow = Readonly<{
  id: number
  type: ChallengeType
  has_file: boolean
  /** Tags as JSON. */
  tags: string
  level: Difficulty | null
  is_shown: boolean
  /** Rule as JSON. */
  unlock_rule: string | null
}>

type TeamRow = Readonly<{
  id: number
  name: string
  bio: string | null
  avatar_hash: string | null
}>

async function loadTimes({ rows }: Rows, gameId: number): Promise<BoardTimes | undefined> {
  const [row] = await rows<GameRow>(
    'select starts_at, ends_at, practice_mode, writeup_deadline, freeze_at, revealed_at from games where id = $1',
    [gameId],
  )
  return (
    row && {
      start: parseDatabaseInstant(row.starts_at),
      end: parseDatabaseInstant(row.ends_at),
      practiceMode: row.practice_mode,
      writeupDeadline: parseDatabaseInstant(row.writeup_deadline),
      freeze: row.freeze_at === null ? null : parseDatabaseInstant(row.freeze_at),
      revealed: row.revealed_at === null ? null : parseDatabaseInstant(row.revealed_at),
    }
  )
}

/** @returns undefined if the game does not exist */
export async function loadGameLabels(at: Rows, gameId: number): Promise<GameLabels | undefined> {
  const times = await loadTimes(at, gameId)
  if (!times) return undefined
  const enabled = await at.rows<ChallengeRow>(
    `select id, is_shown, unlock_rule::text as unlock_rule, type, array_to_json(tags)::text as tags, level,
      attachment_id is not null or type = 'DynamicAttachment' as has_file
    from challenges where game_id = $1 and is_enabled order by id`,
    [gameId],
  )
  const shown = enabled.filter((row) => row.is_shown)
  return {
    times,
    enabled: new Set(enabled.map(({ id }) => id)),
    rules: shown.flatMap(({ id, unlock_rule: rule }) => (rule === null ? [] : [{ id, rule: JSON.parse(rule) as UnlockRule }])),
    marks: shown.map(({ id, type, has_file: hasFile, tags, level }) => ({
      id,
      hasContainer: type.endsWith('Container'),
      hasFile,
      tags: JSON.parse(tags) as string[],
      difficulty: level,
    })),
  }
}

export async function loadRankedTeams({ rows }: Rows, ids: Iterable<number>): Promise<RankedTeam[]> {
  const found = await rows<TeamRow>(
    'select id, name, bio, avatar_hash from teams where id in (select json_array_elements_text($1::text::json)::integer)',
    [JSON.stringify([...ids])],
  )
  return found.map(({ id, name, bio, avatar_hash: hash }) => ({ id, name, bio, avatar: pathOfPicture(hash, 'avatar') }))
}

/** Returns a map from the id of each submission to the name of the user who sent it. Deleted users have no name. */
export async function loadUserNames({ rows }: Rows, submissionIds: Iterable<number>): Promise<Map<number, string>> {
  const found = await rows<Readonly<{ id: number; user_name: string }>>(
    `select submissions.id, users.user_name from submissions join users on users.id = submissions.user_id
    where submissions.id in (select json_array_elements_text($1::text::json)::integer)`,
    [JSON.stringify([...submissionIds])],
  )
  // Store equal names as one string to save memory. The driver creates a separate string for each row.
  const names = new Map<string, string>()
  return new Map(
    found.map(({ id, user_name: read }) => {
      const name = names.get(read) ?? read
      names.set(name, name)
      return [id, name]
    }),
  )
}

export type StoredUnlock = Unlock &
  Readonly<{
    /** Time of the unlock, in ms since 1970. */
    time: number
  }>

export function loadStoredUnlocks({ rows }: Rows, gameId: number, participationIds: Iterable<number>): Promise<StoredUnlock[]> {
  return rows<StoredUnlock>(
    `select participation_id as "participationId", challenge_id as "challengeId",
      floor(extract(epoch from unlocked_at) * 1000)::float8 as time
    from unlocks where game_id = $1 and participation_id in (select json_array_elements_text($2::text::json)::integer)`,
    [gameId, JSON.stringify([...participationIds])],
  )
}

export async function loadFeedPosition({ rows }: Rows): Promise<FeedPosition> {
  const [place] = await rows<FeedPosition>(
    `select snapshot::text, pg_snapshot_xmin(snapshot)::text::float8 as position from pg_current_snapshot() as snapshot`,
  )
  if (!place) throw new Error('The database returned no snapshot')
  return place
}

/** Returns the feed entries since a snapshot. The migration `boards_in_the_change_feed` describes the keys of the entries. */
export async function loadFeedEntriesOfBoard({ rows }: Rows, gameId: number, since: string): Promise<BoardAnnouncements> {
  const found = await rows<Readonly<{ team: number | null; position: number; transactions: number }>>(
    `select nullif(split_part(key, ' ', 3), '')::integer as team, max(transaction::text::bigint)::float8 as position,
      count(distinct transaction)::integer as transactions
    from changes
    where transaction >= pg_snapshot_xmin($2::text::pg_snapshot) and not pg_visible_in_snapshot(transaction, $2::text::pg_snapshot)
      and pg_visible_in_snapshot(transaction, pg_current_snapshot()) and (key = $1 or starts_with(key, $1 || ' '))
    group by 1`,
    [`board ${gameId}`, since],
  )
  const teamRows = found.flatMap(({ team, ...row }) => (team === null ? [] : [{ team, ...row }]))
  return {
    fullChangeAt: found.find(({ team }) => team === null)?.position ?? 0,
    teams: new Map(teamRows.map(({ team, position }) => [team, position])),
    transactions: new Map(teamRows.map(({ team, transactions }) => [team, transactions])),
  }
}
