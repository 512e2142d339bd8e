import { pictureAddress } from '@capstan/contract/asset-address'
import type { BloodPoints } from '@capstan/contract/blood'
import type { ChallengeMarks, Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { allRights } from '@capstan/contract/divisions'
import type { GameTimes } from '@capstan/contract/phases'
import type { CurveName } from '@capstan/contract/score'
import type { UnlockRule } from '@capstan/contract/unlock'
import { type Reader, type Rows, readInstant } from '@capstan/db/reader'
import type { StoredStatus } from '../../rules/scoring/participation.ts'
import { compareSolves, type RankedSolve, type ScoreboardFacts } from '../../rules/scoring/ranking.ts'
import type { RuledChallenge } from '../../rules/scoring/unlocking.ts'

export type FactsSource = Readonly<{
  reader: Reader
}>

/** All data of a scoreboard. `solves` are in order of time. */
export type GameFacts = Omit<ScoreboardFacts, 'updatedAt'> &
  Readonly<{
    times: GameTimes
    /** Labels of the enabled challenges. They do not affect the score. */
    marks: readonly ChallengeMarks[]
    /** Conditions of the enabled challenges. */
    rules: readonly RuledChallenge[]
    /** Ids of the enabled challenges, including those before their release. */
    enabled: ReadonlySet<number>
  }>

export type FeedPosition = Readonly<{
  /** Value of `pg_snapshot` with which the facts were read. */
  snapshot: string
  /** Every transaction with a lower number is in the snapshot or was rolled back. */
  position: number
}>

type BoardAnnouncements = Readonly<{
  /** Number of the last transaction that changed more than rows of teams. 0 if there is none. */
  fullChangeAt: number
  /** Number of the last transaction that changed each row, by team id. */
  teams: ReadonlyMap<number, number>
  /** Number of transactions that changed each row, by team id. */
  transactions: ReadonlyMap<number, number>
}>

type Instant = Date | string

type GameRow = Readonly<{
  starts_at: Instant
  ends_at: Instant
  practice_mode: boolean
  writeup_deadline: Instant
  blood_bonus: number
  /** JSON. */
  blood_points: string | null
}>

type SolveRow = Readonly<{
  submission_id: number
  participation_id: number
  challenge_id: number
  user_name: string | null
  solved_at: Instant
}>

/** Reuses equal names, because the driver creates a separate string for each row. */
function readSolves(rows: readonly SolveRow[]): RankedSolve[] {
  const names = new Map<string | null, string | null>()
  return rows.map((row) => {
    const userName = names.get(row.user_name) ?? row.user_name
    names.set(userName, userName)
    return {
      submissionId: row.submission_id,
      participationId: row.participation_id,
      challengeId: row.challenge_id,
      userName,
      submittedAt: readInstant(row.solved_at),
    }
  })
}

type ChallengeRow = Readonly<{
  id: number
  title: string
  category: ChallengeCategory
  deadline_at: Instant | null
  original_score: number
  min_score_rate: number
  difficulty: number
  has_bloods: boolean
  curve: CurveName
  is_value_fixed: boolean
  flag_points: number
  type: ChallengeType
  has_file: boolean
  /** Tags as JSON. */
  tags: string
  level: Difficulty | null
  is_shown: boolean
  /** Rule as JSON. */
  unlock_rule: string | null
}>

type ParticipationRow = Readonly<{
  id: number
  status: StoredStatus
  division: string | null
  /** Pairs of points and ms since 1970 as JSON. Null if there are none. */
  awards: string | null
  /** Challenge id, price, and ms since 1970 of each purchase as JSON. Null if there are none. */
  bought_hints: string | null
  /** Challenge id, submission id, points, and ms since 1970 of each found flag with points as JSON. Null if there are none. */
  found_flags: string | null
  /** Ids of unlocked challenges as JSON. Null if there are none. */
  unlocked: string | null
  team_id: number
  name: string
  bio: string | null
  avatar_hash: string | null
}>

async function loadGame({ rows }: Rows, gameId: number) {
  const [row] = await rows<GameRow>(
    `select starts_at, ends_at, practice_mode, writeup_deadline, blood_bonus::float8 as blood_bonus, blood_points::text as blood_points
    from games where id = $1`,
    [gameId],
  )
  if (!row) return undefined
  const times: GameTimes = {
    start: readInstant(row.starts_at),
    end: readInstant(row.ends_at),
    practiceMode: row.practice_mode,
    writeupDeadline: readInstant(row.writeup_deadline),
  }
  const bloodPoints = row.blood_points === null ? null : (JSON.parse(row.blood_points) as BloodPoints)
  return { times, game: { end: times.end, bloodBonus: row.blood_bonus, bloodPoints } }
}

async function loadChallenges({ rows }: Rows, gameId: number) {
  const enabled = await rows<ChallengeRow>(
    `select id, is_shown, unlock_rule::text as unlock_rule, title, category, deadline_at, original_score, min_score_rate, difficulty, has_bloods, curve, is_value_fixed, type,
      array_to_json(tags)::text as tags, level,
      (select coalesce(sum(points), 0) from flags where challenge_id = challenges.id and type like 'Static%')::integer as flag_points,
      attachment_id is not null or type = 'DynamicAttachment' as has_file
    from challenges where game_id = $1 and is_enabled order by id`,
    [gameId],
  )
  const found = enabled.filter((row) => row.is_shown)
  return {
    challenges: found.map(({ id, title, category, ...row }) => ({
      id,
      title,
      category,
      isEnabled: true,
      deadline: row.deadline_at === null ? null : readInstant(row.deadline_at),
      originalScore: row.original_score,
      minScoreRate: row.min_score_rate,
      difficulty: row.difficulty,
      hasBloods: row.has_bloods,
      curve: row.curve,
      isValueFixed: row.is_value_fixed,
      flagPoints: row.flag_points,
    })),
    enabled: new Set(enabled.map(({ id }) => id)),
    rules: found.flatMap(({ id, unlock_rule: rule }) => (rule === null ? [] : [{ id, rule: JSON.parse(rule) as UnlockRule }])),
    marks: found.map(({ id, type, has_file: hasFile, tags, level }) => ({
      id,
      hasContainer: type.endsWith('Container'),
      hasFile,
      tags: JSON.parse(tags) as string[],
      difficulty: level,
    })),
  }
}

type DivisionRow = Readonly<{
  id: number
  name: string
  permissions: number | null
  /** Pairs of challenge id and rights as JSON. */
  overrides: string
}>

async function loadDivisions({ rows }: Rows, gameId: number) {
  const found = await rows<DivisionRow>(
    `select id, name, permissions,
      (select coalesce(json_agg(json_build_array(challenge_id, division_challenges.permissions) order by challenge_id), '[]')::text
        from division_challenges where division_id = divisions.id) as overrides
    from divisions where game_id = $1 order by id`,
    [gameId],
  )
  return found.map(({ id, name, permissions, overrides }) => ({
    id,
    name,
    defaultPermissions: permissions ?? allRights,
    overrides: new Map(JSON.parse(overrides) as [number, number][]),
  }))
}

type TeamFilter = readonly number[] | null

async function loadParticipations({ rows }: Rows, gameId: number, teamIds: TeamFilter) {
  const found = await rows<ParticipationRow>(
    `select participations.id, participations.status, participations.division,
      (select json_agg(json_build_array(points, floor(extract(epoch from awarded_at) * 1000)) order by awarded_at, id)::text
        from awards where participation_id = participations.id and revoked_at is null) as awards,
      (select json_agg(json_build_array(challenge_id, price, floor(extract(epoch from bought_at) * 1000)) order by bought_at, id)::text
        from hint_purchases where participation_id = participations.id) as bought_hints,
      (select json_agg(json_build_array(found_flags.challenge_id, submission_id, points, floor(extract(epoch from found_at) * 1000)) order by found_at, submission_id)::text
        from found_flags join flags on flags.id = found_flags.flag_id
        where participation_id = participations.id and points > 0) as found_flags,
      (select json_agg(challenge_id)::text from unlocks where participation_id = participations.id) as unlocked,
      teams.id as team_id, teams.name, teams.bio, teams.avatar_hash
    from participations join teams on teams.id = participations.team_id
    where participations.game_id = $1 and participations.status = 'Accepted'
      and ($2::text is null or teams.id in (select json_array_elements_text($2::text::json)::integer))
    order by participations.id`,
    [gameId, teamIds && JSON.stringify(teamIds)],
  )
  return found.map(
    ({
      id,
      status,
      division,
      awards,
      bought_hints: boughtHints,
      found_flags: foundFlags,
      unlocked,
      team_id: teamId,
      ...team
    }) => ({
      id,
      status,
      division,
      ...(unlocked !== null && { unlocked: JSON.parse(unlocked) as number[] }),
      awards: awards === null ? [] : (JSON.parse(awards) as [number, number][]).map(([points, time]) => ({ points, time })),
      boughtHints:
        boughtHints === null
          ? []
          : (JSON.parse(boughtHints) as [number, number, number][]).map(([challengeId, price, time]) => ({
              challengeId,
              price,
              time,
            })),
      foundFlags:
        foundFlags === null
          ? []
          : (JSON.parse(foundFlags) as [number, number, number, number][]).map(([challengeId, submissionId, points, time]) => ({
              ...{ challengeId, submissionId, points },
              foundAt: new Date(time),
            })),
      team: { id: teamId, name: team.name, bio: team.bio, avatar: pictureAddress(team.avatar_hash, 'avatar') },
    }),
  )
}

const solveColumns = 'solves.submission_id, solves.participation_id, solves.challenge_id, users.user_name, solves.solved_at'

async function loadSolves({ rows }: Rows, gameId: number) {
  return readSolves(
    await rows<SolveRow>(
      `select ${solveColumns} from solves left join users on users.id = solves.user_id
      where solves.game_id = $1 order by solves.solved_at, solves.submission_id`,
      [gameId],
    ),
  )
}

async function loadSolvesOf({ rows }: Rows, gameId: number, participationIds: readonly number[]) {
  return readSolves(
    await rows<SolveRow>(
      `select ${solveColumns} from solves left join users on users.id = solves.user_id
      where solves.game_id = $1 and solves.participation_id in (select json_array_elements_text($2::text::json)::integer)`,
      [gameId, JSON.stringify(participationIds)],
    ),
  )
}

/** @returns undefined if the game does not exist */
export async function loadGameFacts(at: Rows, gameId: number): Promise<GameFacts | undefined> {
  const found = await loadGame(at, gameId)
  if (!found) return undefined
  return {
    ...found,
    ...(await loadChallenges(at, gameId)),
    divisions: await loadDivisions(at, gameId),
    participations: await loadParticipations(at, gameId, null),
    solves: await loadSolves(at, gameId),
  }
}

/** Returns the facts with the rows of these teams read again. */
export async function reloadTeams(at: Rows, gameId: number, facts: GameFacts, teamIds: readonly number[]): Promise<GameFacts> {
  const changedTeams = new Set(teamIds)
  const [before, others] = [new Set<number>(), [] as GameFacts['participations'][number][]]
  for (const participation of facts.participations) {
    if (changedTeams.has(participation.team.id)) before.add(participation.id)
    else others.push(participation)
  }
  const participations = await loadParticipations(at, gameId, teamIds)
  const solves = await loadSolvesOf(
    at,
    gameId,
    participations.map(({ id }) => id),
  )
  return {
    ...facts,
    participations: [...others, ...participations].sort((left, right) => left.id - right.id),
    solves: [...facts.solves.filter(({ participationId }) => !before.has(participationId)), ...solves].sort(compareSolves),
  }
}

export async function loadFeedPosition({ rows }: Rows): Promise<FeedPosition> {
  const [place] = await rows<FeedPosition>(
    `select snapshot::text, pg_snapshot_xmin(snapshot)::text::float8 as position from pg_current_snapshot() as snapshot`,
  )
  if (!place) throw new Error('The database returned no snapshot')
  return place
}

/** Returns the feed entries since a snapshot. Keys: migration `boards_in_the_change_feed`. */
export async function loadAnnouncements({ rows }: Rows, gameId: number, since: string): Promise<BoardAnnouncements> {
  const found = await rows<{ readonly team: number | null; readonly position: number; readonly transactions: number }>(
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
