// Computes the data of a board from the current rows. Tests compare it with the data from score records.
import { pathOfPicture } from '@capstan/contract/asset-address'
import type { BloodPoints } from '@capstan/contract/blood'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { allRights } from '@capstan/contract/division-rights'
import type { CurveName } from '@capstan/contract/score'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { parseDatabaseInstant, type Reader, type Rows } from '@capstan/db/reader'
import type { StoredStatus } from '../rules/scoring/participation.ts'
import { buildScoreboard } from '../rules/scoring/ranking.ts'
import type { RecordedFacts } from '../rules/scoring/records.ts'

type Instant = Date | string

async function loadGame({ rows }: Rows, gameId: number): Promise<RecordedFacts['game'] | undefined> {
  const [row] = await rows<{ ends_at: Instant; blood_bonus: number; blood_points: string | null }>(
    'select ends_at, blood_bonus::float8 as blood_bonus, blood_points::text as blood_points from games where id = $1',
    [gameId],
  )
  if (!row) return undefined
  const bloodPoints = row.blood_points === null ? null : (JSON.parse(row.blood_points) as BloodPoints)
  return { end: parseDatabaseInstant(row.ends_at), bloodBonus: row.blood_bonus, bloodPoints }
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
}>

async function loadChallenges({ rows }: Rows, gameId: number): Promise<RecordedFacts['challenges']> {
  const found = await rows<ChallengeRow>(
    `select id, title, category, deadline_at, original_score, min_score_rate, difficulty, has_bloods, curve, is_value_fixed,
      (select coalesce(sum(points), 0) from flags where challenge_id = challenges.id and type like 'Static%')::integer as flag_points
    from challenges where game_id = $1 and is_shown order by id`,
    [gameId],
  )
  return found.map((row) => ({
    ...{ id: row.id, title: row.title, category: row.category, isEnabled: true },
    deadline: row.deadline_at === null ? null : parseDatabaseInstant(row.deadline_at),
    ...{ points: row.original_score, minimumShare: row.min_score_rate, decay: row.difficulty },
    ...{ hasBloods: row.has_bloods, curve: row.curve, isValueFixed: row.is_value_fixed, flagPoints: row.flag_points },
  }))
}

async function loadDivisions({ rows }: Rows, gameId: number): Promise<RecordedFacts['divisions']> {
  const found = await rows<{ id: number; name: string; permissions: number | null; overrides: string }>(
    `select id, name, permissions,
      (select coalesce(json_agg(json_build_array(challenge_id, division_challenges.permissions) order by challenge_id), '[]')::text
        from division_challenges where division_id = divisions.id) as overrides
    from divisions where game_id = $1 order by id`,
    [gameId],
  )
  return found.map(({ id, name, permissions, overrides }) => ({
    ...{ id, name, defaultPermissions: permissions ?? allRights },
    overrides: new Map(JSON.parse(overrides) as [number, number][]),
  }))
}

type ParticipationRow = Readonly<{
  id: number
  status: StoredStatus
  division: string | null
  /** JSON list with the points and the time, in ms since 1970, of each award. */
  awards: string
  /** JSON list with the challenge id, the price, and the time, in ms since 1970, of each purchase. */
  bought_hints: string
  /** JSON list with challenge id, submission id, points, and time, in ms since 1970, of each found flag that has points. */
  found_flags: string
  team_id: number
  name: string
  bio: string | null
  avatar_hash: string | null
}>

async function loadParticipations({ rows }: Rows, gameId: number): Promise<RecordedFacts['participations']> {
  const found = await rows<ParticipationRow>(
    `select participations.id, participations.status, participations.division,
      (select coalesce(json_agg(json_build_array(points, floor(extract(epoch from awarded_at) * 1000)) order by awarded_at, id), '[]')::text
        from awards where participation_id = participations.id and revoked_at is null) as awards,
      (select coalesce(json_agg(json_build_array(challenge_id, price, floor(extract(epoch from bought_at) * 1000)) order by bought_at, id), '[]')::text
        from hint_purchases where participation_id = participations.id) as bought_hints,
      (select coalesce(json_agg(json_build_array(found_flags.challenge_id, submission_id, points, floor(extract(epoch from found_at) * 1000)) order by found_at, submission_id), '[]')::text
        from found_flags join flags on flags.id = found_flags.flag_id
        where participation_id = participations.id and points > 0) as found_flags,
      teams.id as team_id, teams.name, teams.bio, teams.avatar_hash
    from participations join teams on teams.id = participations.team_id
    where participations.game_id = $1 and participations.status = 'Accepted'
    order by participations.id`,
    [gameId],
  )
  return found.map((row) => ({
    ...{ id: row.id, status: row.status, division: row.division },
    awards: (JSON.parse(row.awards) as [number, number][]).map(([points, time]) => ({ points, time })),
    boughtHints: (JSON.parse(row.bought_hints) as [number, number, number][]).map(([challengeId, price, time]) => ({
      ...{ challengeId, price, time },
    })),
    foundFlags: (JSON.parse(row.found_flags) as [number, number, number, number][]).map(
      ([challengeId, submissionId, points, time]) => ({ challengeId, submissionId, points, foundAt: new Date(time) }),
    ),
    team: { id: row.team_id, name: row.name, bio: row.bio, avatar: pathOfPicture(row.avatar_hash, 'avatar') },
  }))
}

type SolveRow = Readonly<{
  submission_id: number
  participation_id: number
  challenge_id: number
  user_name: string | null
  solved_at: Instant
}>

async function loadSolves({ rows }: Rows, gameId: number): Promise<RecordedFacts['solves']> {
  const found = await rows<SolveRow>(
    `select solves.submission_id, solves.participation_id, solves.challenge_id, users.user_name, solves.solved_at
    from solves left join users on users.id = solves.user_id
    where solves.game_id = $1 order by solves.solved_at, solves.submission_id`,
    [gameId],
  )
  return found.map((row) => ({
    ...{ submissionId: row.submission_id, participationId: row.participation_id, challengeId: row.challenge_id },
    ...{ userName: row.user_name, submittedAt: parseDatabaseInstant(row.solved_at) },
  }))
}

/** @returns undefined if the game does not exist */
export async function loadBoardFactsFromRows(at: Rows, gameId: number): Promise<RecordedFacts | undefined> {
  const game = await loadGame(at, gameId)
  if (!game) return undefined
  return {
    game,
    challenges: await loadChallenges(at, gameId),
    divisions: await loadDivisions(at, gameId),
    participations: await loadParticipations(at, gameId),
    solves: await loadSolves(at, gameId),
  }
}

/** Builds the board from the current rows. @returns undefined if the game does not exist */
export async function buildStoredScoreboard(
  { reader }: { readonly reader: Reader },
  gameId: number,
  updatedAt: Date,
): Promise<Scoreboard | undefined> {
  const facts = await reader.snapshot((at) => loadBoardFactsFromRows(at, gameId))
  return facts && buildScoreboard({ ...facts, updatedAt })
}
