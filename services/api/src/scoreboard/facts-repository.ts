import { pictureAddress } from '@capstan/contract/asset-address'
import type { ChallengeMarks, Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import type { GameTimes } from '@capstan/contract/phases'
import type { Verdict } from '@capstan/contract/vocabulary'
import { type Reader, type Rows, readInstant } from '@capstan/db/reader'
import type { VersionedFacts, VersionedSolve } from '../scoring/live-board.ts'

/** Who can be asked: the database, or the connection of a thread. */
export interface FactsSource {
  readonly reader: Reader
}

export interface GameFacts extends VersionedFacts {
  readonly times: GameTimes
  /** Of its enabled challenges; no score follows from them. */
  readonly marks: readonly ChallengeMarks[]
}

/** As the driver gives it. */
type Instant = Date | string

interface TimesRow {
  readonly starts_at: Instant
  readonly ends_at: Instant
  readonly practice_mode: boolean
  readonly writeup_deadline: Instant
}

const timesColumns = 'games.starts_at, games.ends_at, games.practice_mode, games.writeup_deadline'
const versionColumn = 'coalesce(scoreboard_versions.version, 0)::float8 as version'

const readTimes = (row: TimesRow): GameTimes => ({
  start: readInstant(row.starts_at),
  end: readInstant(row.ends_at),
  practiceMode: row.practice_mode,
  writeupDeadline: readInstant(row.writeup_deadline),
})

interface SolveRow {
  readonly submission_id: number
  readonly participation_id: number
  readonly challenge_id: number
  readonly user_name: string | null
  readonly solved_at: Instant
  readonly board_version: number
}

const solveColumns = `solves.submission_id, solves.participation_id, solves.challenge_id, users.user_name, solves.solved_at,
  solves.board_version::float8 as board_version`

/** Each name once: the driver makes a text of its own for each row. */
const readSolves = (rows: readonly SolveRow[]): VersionedSolve[] => {
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
      boardVersion: row.board_version,
    }
  })
}

interface ChallengeRow {
  readonly id: number
  readonly title: string
  readonly category: ChallengeCategory
  readonly is_enabled: boolean
  readonly original_score: number
  readonly min_score_rate: number
  readonly difficulty: number
  readonly type: ChallengeType
  readonly has_file: boolean
  /** JSON. */
  readonly tags: string
  readonly level: Difficulty | null
}

interface ParticipationRow {
  readonly id: number
  readonly status: Verdict
  readonly division: string | null
  readonly awarded: number
  readonly team_id: number
  readonly name: string
  readonly bio: string | null
  readonly avatar_hash: string | null
}

const loadGame = async ({ rows }: Rows, gameId: number) => {
  const [row] = await rows<TimesRow & { readonly blood_bonus: number; readonly version: number }>(
    `select ${timesColumns}, games.blood_bonus::float8 as blood_bonus, ${versionColumn}
    from games left join scoreboard_versions on scoreboard_versions.game_id = games.id where games.id = $1`,
    [gameId],
  )
  return row
}

const loadChallenges = async ({ rows }: Rows, gameId: number) => {
  const found = await rows<ChallengeRow>(
    `select id, title, category, is_enabled, original_score, min_score_rate, difficulty, type, array_to_json(tags)::text as tags, level,
      attachment_id is not null or type = 'DynamicAttachment' as has_file
    from challenges where game_id = $1 and is_enabled order by id`,
    [gameId],
  )
  return {
    challenges: found.map(({ id, title, category, ...row }) => ({
      id,
      title,
      category,
      isEnabled: row.is_enabled,
      originalScore: row.original_score,
      minScoreRate: row.min_score_rate,
      difficulty: row.difficulty,
    })),
    marks: found.map(({ id, type, has_file: hasFile, tags, level }) => ({
      id,
      hasContainer: type.endsWith('Container'),
      hasFile,
      tags: JSON.parse(tags) as string[],
      difficulty: level,
    })),
  }
}

const loadParticipations = async ({ rows }: Rows, gameId: number) => {
  const found = await rows<ParticipationRow>(
    `select participations.id, participations.status, participations.division,
      coalesce((select sum(points) from awards where participation_id = participations.id), 0)::float8 as awarded,
      teams.id as team_id, teams.name, teams.bio, teams.avatar_hash
    from participations join teams on teams.id = participations.team_id
    where participations.game_id = $1 and participations.status = 'Accepted' order by participations.id`,
    [gameId],
  )
  return found.map(({ id, status, division, awarded, team_id: teamId, name, bio, avatar_hash: avatarHash }) => ({
    id,
    status,
    division,
    awarded,
    team: { id: teamId, name, bio, avatar: pictureAddress(avatarHash, 'avatar') },
  }))
}

const loadSolves = async ({ rows }: Rows, gameId: number) => {
  const found = await rows<SolveRow>(
    `select ${solveColumns} from solves left join users on users.id = solves.user_id
    where solves.game_id = $1 order by solves.solved_at, solves.submission_id`,
    [gameId],
  )
  return readSolves(found)
}

/** All that the scoreboard of a game is built from, as it was at one moment; undefined: there is no such game. */
export const loadGameFacts = ({ reader }: FactsSource, gameId: number, updatedAt: Date): Promise<GameFacts | undefined> =>
  reader.snapshot(async (at) => {
    const game = await loadGame(at, gameId)
    if (!game) return undefined
    const times = readTimes(game)
    return {
      times,
      game: { end: times.end, bloodBonus: game.blood_bonus },
      version: game.version,
      ...(await loadChallenges(at, gameId)),
      participations: await loadParticipations(at, gameId),
      solves: await loadSolves(at, gameId),
      updatedAt,
    }
  })

export interface NewSolves {
  readonly times: GameTimes
  readonly version: number
  /** Of the versions after the one that was asked for. */
  readonly solves: readonly VersionedSolve[]
}

/** Where there is no solve, there is one row of the game all the same. */
type NewRow = TimesRow & { readonly version: number } & (SolveRow | { readonly submission_id: null })

/** The solves that came after a version of the board, in one statement; undefined: there is no such game. */
export const loadNewSolves = async ({ reader }: FactsSource, gameId: number, after: number): Promise<NewSolves | undefined> => {
  const rows = await reader.rows<NewRow>(
    `select ${timesColumns}, ${versionColumn}, ${solveColumns}
    from games left join scoreboard_versions on scoreboard_versions.game_id = games.id
      left join solves on solves.game_id = games.id and solves.board_version > $2
      left join users on users.id = solves.user_id
    where games.id = $1`,
    [gameId, after],
  )
  const [row] = rows
  if (!row) return undefined
  const solves = readSolves(rows.filter((found): found is NewRow & SolveRow => found.submission_id !== null))
  return { times: readTimes(row), version: row.version, solves }
}
