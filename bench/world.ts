import type postgres from 'postgres'
import type { BenchRequest } from './ask.ts'

export type WorldSize = Readonly<{
  teams: number
  challenges: number
  solvedByTeam: number
  wrongAnswers?: number
  /** True if every team has opened every challenge. Default: true. */
  isSeen?: boolean
}>

/** Game with `teams` teams, which started a day ago. Teams and challenges are numbered from 0, and all flags are static. */
export type World = ReturnType<typeof createWorld>

const membersPerTeam = 3
/** Offset that lets each team start with a different challenge. */
const stride = 7

export function playerName(team: number): string {
  return `player${team * membersPerTeam}`
}

export async function insertPlayersAndTeams(sql: postgres.Sql, teams: number): Promise<void> {
  await sql`
    insert into users (id, user_name, email, password_hash, email_confirmed)
    select gen_random_uuid(), 'player' || n, 'player' || n || '@example.org', '', true
    from generate_series(0, ${teams * membersPerTeam - 1}::int) as n`
  await sql`
    insert into teams (name, bio, captain_id, invite_token, locked)
    select 'Team ' || n, 'The people of number ' || n || ', from somewhere between two harbors', id, md5(n::text), true
    from generate_series(0, ${teams - 1}::int) as n join users on user_name = 'player' || n * ${membersPerTeam}::int order by n`
  await sql`
    insert into team_members (team_id, user_id)
    select teams.id, users.id from generate_series(0, ${teams * membersPerTeam - 1}::int) as n
    join teams on name = 'Team ' || n / ${membersPerTeam}::int join users on user_name = 'player' || n`
  await sql`
    insert into sessions (token_hash, user_id, expires_at)
    select encode(sha256(('session-of-' || user_name)::bytea), 'hex'), captain_id, now() + interval '7 days'
    from teams join users on users.id = captain_id`
}

/** Returns functions that create requests of team captains in a game. */
function createWorld(gameId: number, challengeIds: readonly number[], size: WorldSize) {
  const { teams, challenges, solvedByTeam } = size
  const game = `/api/game/${gameId}`
  const cookieOf = (team: number) => `capstan_session=session-of-${playerName(team)}`
  const pathOf = (challenge: number) => `${game}/challenges/${challengeIds[challenge]}`

  /**
   * Returns pairs of a team and a challenge that the team has not solved. Successive pairs have different teams and
   * different challenges.
   */
  const findUnsolved = (first: number, count: number) =>
    Array.from({ length: Math.min(count, Math.max(0, (challenges - solvedByTeam) * teams - first)) }, (_, index) => {
      const [turn, team] = [solvedByTeam + Math.floor((first + index) / teams), (first + index) % teams]
      return { team, challenge: (((turn - team * stride) % challenges) + challenges) % challenges }
    })

  const submit = (team: number, challenge: number, flag: string): BenchRequest => ({
    method: 'POST',
    path: pathOf(challenge),
    headers: { cookie: cookieOf(team) },
    body: JSON.stringify({ flag }),
  })

  let [solves, guesses] = [0, 0]
  return {
    gameId,
    size,
    cookieOf,
    boardPath: `${game}/scoreboard`,
    ownBoards: (): BenchRequest[] =>
      Array.from({ length: teams }, (_, team) => ({ path: `${game}/details`, headers: { cookie: cookieOf(team) } })),
    /** Returns requests to view challenges that the teams have not solved. The same arguments always return the same requests. */
    views: (first: number, count: number): BenchRequest[] =>
      findUnsolved(first, count).map(({ team, challenge }) => ({ path: pathOf(challenge), headers: { cookie: cookieOf(team) } })),
    /** Returns submissions of correct flags. Each call returns pairs of team and challenge that no earlier call has returned. */
    takeSolves(count: number): BenchRequest[] {
      const pairs = findUnsolved(solves, count)
      solves += count
      return pairs.map(({ team, challenge }) => submit(team, challenge, `flag{of-${gameId}-${challenge}}`))
    },
    /** Returns submissions of wrong flags, each with a different text. */
    takeGuesses: (count: number): BenchRequest[] =>
      Array.from({ length: count }, () => {
        guesses += 1
        return submit(guesses % teams, guesses % challenges, `flag{guess-${guesses}}`)
      }),
  }
}

export async function addGame(connection: postgres.Sql, size: WorldSize): Promise<World> {
  return connection.begin(async (sql) => {
    const { teams, challenges, solvedByTeam, wrongAnswers = 0, isSeen = true } = size
    const [game] = await sql<{ id: number }[]>`
      insert into games (title, accept_without_review, starts_at, ends_at, writeup_deadline, public_key, private_key)
      values ('Bench', true, now() - interval '1 day', now() + interval '1 day', now() + interval '2 days', '', '') returning id`
    const gameId = game?.id ?? 0
    await sql`insert into divisions (game_id, name, position) values (${gameId}, 'Students', 0), (${gameId}, 'Open', 1)`
    const made = await sql<{ id: number }[]>`
      insert into challenges (game_id, title, content, category, type, is_enabled, original_score)
      select ${gameId}, 'Challenge number ' || n, repeat('Something to find out. ', 20),
        (array['Misc', 'Crypto', 'Pwn', 'Web', 'Reverse'])[1 + n % 5], 'StaticAttachment', true, 500 + n % 3 * 250
      from generate_series(0, ${challenges - 1}::int) as n order by n returning id`
    await sql`
      create temporary table task on commit drop as
      select row_number() over (order by id)::int - 1 as place, id, title from challenges where game_id = ${gameId}`
    await sql`insert into flags (challenge_id, flag) select id, ${`flag{of-${gameId}-`}::text || place || '}' from task`
    await sql`
      insert into participations (game_id, team_id, status, token, division)
      select ${gameId}, id, 'Accepted', id || ':bench', case id % 3 when 0 then 'Students' when 1 then 'Open' end
      from teams order by id limit ${teams}`
    await sql`
      insert into participation_members (participation_id, game_id, user_id)
      select participations.id, ${gameId}, user_id from participations join team_members using (team_id) where game_id = ${gameId}`
    await sql`
      create temporary table player on commit drop as
      select row_number() over (order by team_id)::int - 1 as place, participations.id, team_id, captain_id as user_id
      from participations join teams on teams.id = team_id where game_id = ${gameId}`
    if (isSeen)
      await sql`
        insert into assignments (participation_id, challenge_id) select player.id, task.id from player cross join task`
    // Teams submit in turn: submission n belongs to team n modulo `teams`.
    await sql`
      create temporary table answer on commit drop as
      select player.id as participation_id, team_id, user_id, task.id as challenge_id, title,
        case when n < ${solvedByTeam * teams}::int then 'Accepted' else 'WrongAnswer' end as status, 'flag{try-' || n || '}' as text,
        now() - interval '20 hours' * (1 - n::float / ${solvedByTeam * teams + wrongAnswers}) as at
      from generate_series(0, ${solvedByTeam * teams + wrongAnswers - 1}::int) as n
      join player on player.place = n % ${teams}::int
      join task on task.place = ((n / ${teams}::int - player.place * ${stride}::int) % ${challenges}::int + ${challenges}::int) % ${challenges}::int`
    await sql`
      insert into events (game_id, type, values, occurred_at, user_id, team_id)
      select ${gameId}, 'FlagSubmit', array[status, text, title, challenge_id::text], at, user_id, team_id from answer order by at`
    await sql`
      with stored as (
        insert into submissions (game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at)
        select ${gameId}, challenge_id, participation_id, team_id, user_id, text, status, at from answer order by at
        returning id, challenge_id, participation_id, user_id, submitted_at, status)
      insert into solves (game_id, challenge_id, participation_id, submission_id, user_id, solved_at)
      select ${gameId}, challenge_id, participation_id, id, user_id, submitted_at from stored where status = 'Accepted'`
    await sql`
      update challenges set accepted_count = (select count(*) from solves where challenge_id = challenges.id) where game_id = ${gameId}`
    await sql`analyze`
    const challengeIds = made.map(({ id }) => id)
    return createWorld(gameId, challengeIds, size)
  }) as Promise<World>
}
