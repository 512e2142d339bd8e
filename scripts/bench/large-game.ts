import { ChallengeCategory } from '@capstan/contract/challenges'
import type postgres from 'postgres'

export type LargeGame = Readonly<{
  gameId: number
  teams: number
  challenges: number
  solves: number
  /** Writes one more solve as the api does, with the version of the board that it makes. */
  addSolve(): Promise<void>
}>

/** A game with so many solves straight in the database, by statements that make the rows themselves. */
export async function createLargeGame(
  sql: postgres.Sql,
  { teams, challenges, solves }: Pick<LargeGame, 'teams' | 'challenges' | 'solves'>,
): Promise<LargeGame> {
  const [game] = await sql<{ id: number }[]>`
    insert into games (title, starts_at, ends_at, writeup_deadline, public_key, private_key)
    values ('Large', now() - interval '1 day', now() + interval '1 day', now() + interval '2 days', '', '') returning id`
  const gameId = game?.id ?? 0
  await sql`
    with person as (
      insert into users (id, user_name, email, password_hash, email_confirmed)
      select gen_random_uuid(), 'large' || number, 'large' || number || '@example.org', '', true
      from generate_series(1, ${teams}) as number returning id, user_name),
    team as (
      insert into teams (name, bio, captain_id, invite_token, locked)
      select 'Team of ' || user_name, 'From somewhere between two harbours', id, md5(user_name), true from person returning id)
    insert into participations (game_id, team_id, status, token, division)
    select ${gameId}, id, 'Accepted', id || ':x', case id % 3 when 0 then 'Students' when 1 then 'Open' end from team`
  await sql`
    insert into challenges (game_id, title, category, type, is_enabled)
    select ${gameId}, 'Challenge number ' || number, (${[...ChallengeCategory.enum]}::text[])[1 + number % ${ChallengeCategory.enum.length}],
      'StaticAttachment', true from generate_series(1, ${challenges}) as number`
  // Teams solve the next few from where each of them starts: every challenge has as many solvers.
  const each = solves / teams
  await sql`
    with played as (
      select participations.id, team_id, captain_id, row_number() over (order by participations.id) as place
      from participations join teams on teams.id = team_id where game_id = ${gameId}),
    task as (select id, row_number() over (order by id) - 1 as place from challenges where game_id = ${gameId}),
    pair as (
      select played.id as participation_id, team_id, captain_id, task.id as challenge_id,
        now() - interval '1 hour' + (played.place * ${each} + number) * interval '10 milliseconds' as at
      from played cross join generate_series(1, ${each}::int) as number
      join task on task.place = (played.place * 7 + number) % ${challenges}),
    submission as (
      insert into submissions (game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at)
      select ${gameId}, challenge_id, participation_id, team_id, captain_id, 'flag', 'Accepted', at from pair
      returning id, challenge_id, participation_id, user_id, submitted_at)
    insert into solves (game_id, challenge_id, participation_id, submission_id, user_id, solved_at)
    select ${gameId}, challenge_id, participation_id, id, user_id, submitted_at from submission`
  await sql`analyze`
  let added = 0
  return {
    gameId,
    teams,
    challenges,
    solves,
    async addSolve() {
      added += 1
      await sql`
        with team as (
          select id, team_id from participations where game_id = ${gameId} order by id offset ${added * 13} limit 1),
        task as (
          select challenges.id from challenges, team where game_id = ${gameId} and not exists (
            select from solves where participation_id = team.id and challenge_id = challenges.id)
          order by challenges.id limit 1),
        submission as (
          insert into submissions (game_id, challenge_id, participation_id, team_id, answer, status, submitted_at)
          select ${gameId}, task.id, team.id, team.team_id, 'flag', 'Accepted', now() from team, task
          returning id, challenge_id, participation_id, submitted_at)
        insert into solves (game_id, challenge_id, participation_id, submission_id, solved_at)
        select ${gameId}, challenge_id, participation_id, id, submitted_at from submission`
    },
  }
}
