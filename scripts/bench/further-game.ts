import { createGameKeys } from '@capstan/api/rules/signing/game-keys'
import { cryptoRandom } from '@capstan/api/rules/signing/random'
import type { BenchDatabase } from './bench.ts'

/** Another game of the same teams, for what needs one that is played otherwise. */
export type FurtherGame = Readonly<{
  id: number
  challengeIds: readonly number[]
  /** The right answer of every team. */
  flagOf(challenge: number): string
  /** By indexes of players and challenges, in an order that jumps from team to team and from challenge to challenge. */
  unsolved: readonly { readonly player: number; readonly challenge: number }[]
}>

export type FurtherGameOptions = Readonly<{
  secretKey: string
  challenges: number
  /** Challenges that each team has solved; every challenge by as many teams. */
  solvedByTeam: number
  /** Whether teams have seen the challenges. */
  isSeen: boolean
}>

/** Jumps over the challenges from one team to the next, so that those solved differ from team to team. */
const stride = 37

/** Every team of the world plays it, with static challenges. */
export async function addGame(
  { sql, world }: BenchDatabase,
  { secretKey, challenges: challengeCount, solvedByTeam, isSeen }: FurtherGameOptions,
): Promise<FurtherGame> {
  const { publicKey, privateKey } = createGameKeys(secretKey, cryptoRandom)
  const [game] = await sql<{ id: number }[]>`
    insert into games (title, accept_without_review, starts_at, ends_at, writeup_deadline, public_key, private_key)
    values ('Further', true, now() - interval '1 day', now() + interval '1 day', now() + interval '2 days', ${publicKey}, ${privateKey})
    returning id`
  if (!game) throw new Error('The game was not stored')
  const { id } = game
  const made = await sql<{ id: number }[]>`
    insert into challenges (game_id, title, content, category, type, is_enabled)
    select ${id}, 'Further challenge ' || number, repeat('Something to find out. ', 20), 'Misc', 'StaticAttachment', true
    from generate_series(0, ${challengeCount - 1}) as number order by number returning id`
  const challengeIds = made.map((row) => row.id)
  const flagOf = (challenge: number) => `flag{further-${challenge}}`
  await sql`
    insert into flags (challenge_id, flag)
    select * from unnest(${challengeIds}::integer[], ${challengeIds.map((_, index) => flagOf(index))}::text[])`
  await sql`
    insert into participations (game_id, team_id, status, token)
    select ${id}, id, 'Accepted', id || ':further' from teams order by id`
  await sql`
    insert into participation_members (participation_id, game_id, user_id)
    select participations.id, ${id}, user_id from participations join team_members using (team_id) where game_id = ${id}`
  const pairs = sql`
    select player.id as participation_id, player.team_id, captain_id, challenge.id as challenge_id, title,
      (player.position * ${stride} + challenge.position) % ${challengeCount} < ${solvedByTeam} as is_solved
    from (select *, row_number() over (order by team_id) - 1 as position from participations where game_id = ${id}) as player
    join teams on teams.id = player.team_id
    cross join (select *, row_number() over (order by id) - 1 as position from challenges where game_id = ${id}) as challenge`
  if (isSeen)
    await sql`insert into assignments (participation_id, challenge_id) select participation_id, challenge_id from (${pairs}) as pair`
  await sql`
    with submission as (
      insert into submissions (game_id, challenge_id, participation_id, team_id, user_id, answer, status, submitted_at)
      select ${id}, challenge_id, participation_id, team_id, captain_id, 'flag{further}', 'Accepted', now() - random() * interval '1 day'
      from (${pairs}) as pair where is_solved returning *
    ), event as (
      insert into events (game_id, type, values, occurred_at, user_id, team_id)
      select ${id}, 'FlagSubmit', array['Accepted', answer, '', challenge_id::text], submitted_at, user_id, team_id from submission
    )
    insert into solves (game_id, challenge_id, participation_id, submission_id, user_id, solved_at)
    select ${id}, challenge_id, participation_id, id, user_id, submitted_at from submission`
  await sql`
    update challenges set accepted_count = (select count(*) from solves where challenge_id = challenges.id) where game_id = ${id}`
  await sql`analyze`
  const players = world.players.map(({ teamId }, index) => ({ teamId, index })).sort((a, b) => a.teamId - b.teamId)
  const unsolved = challengeIds.flatMap((_, turn) =>
    players.flatMap(({ index: player }, position) => {
      const challenge = (turn + position * 7) % challengeCount
      return (position * stride + challenge) % challengeCount < solvedByTeam ? [] : [{ player, challenge }]
    }),
  )
  return { id, challengeIds, flagOf, unsolved }
}
