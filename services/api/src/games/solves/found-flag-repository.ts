import type { Executor } from '@capstan/db/client'
import { foundFlags, submissions } from '@capstan/db/schema/challenges'
import { type SQL, sql } from 'drizzle-orm'

/** Set of rows: all rows of a game, all rows of a challenge, or the rows of one team for a challenge. */
export type SolveScope =
  | { readonly gameId: number }
  | { readonly challengeId: number }
  | Readonly<{ challengeId: number; participationId: number }>

/**
 * Returns the SQL condition for the rows in a scope. The table must have the columns game_id, challenge_id and participation_id.
 */
function inScope(table: string, scope: SolveScope): SQL {
  const column = (name: string) => sql`${sql.identifier(table)}.${sql.identifier(name)}`
  if ('gameId' in scope) return sql`${column('game_id')} = ${scope.gameId}`
  const ofChallenge = sql`${column('challenge_id')} = ${scope.challengeId}`
  return 'participationId' in scope
    ? sql`${ofChallenge} and ${column('participation_id')} = ${scope.participationId}`
    : ofChallenge
}

/** Returns the SQL condition for submissions that are right, not void, and sent before `end`. */
function counts(end: Date): SQL {
  return sql`submissions.status = 'Accepted' and not submissions.is_void and submissions.submitted_at < ${end.toISOString()}::timestamptz`
}

/**
 * Updates the found flags. For each team and flag, the first submission with the flag counts. The caller has locked the challenges.
 */
export async function updateFoundFlags(db: Executor, scope: SolveScope, end: Date): Promise<void> {
  await db.execute(sql`
    delete from ${foundFlags} where ${inScope('found_flags', scope)} and not exists (
      select 1 from ${submissions}
      where submissions.id = found_flags.submission_id and submissions.flag_id = found_flags.flag_id and ${counts(end)})`)
  await db.execute(sql`
    insert into ${foundFlags} (game_id, challenge_id, participation_id, flag_id, submission_id, found_at, counted_at)
    select distinct on (participation_id, flag_id)
      game_id, challenge_id, participation_id, flag_id, id, submitted_at, clock_timestamp()
    from ${submissions} where ${inScope('submissions', scope)} and flag_id is not null and ${counts(end)}
    order by participation_id, flag_id, submitted_at, id
    on conflict (participation_id, flag_id) do update set submission_id = excluded.submission_id, found_at = excluded.found_at
    where found_flags.submission_id <> excluded.submission_id`)
}

/**
 * Returns SQL for the submissions that solve a challenge, in any order. If a team must find several flags, the submission of its
 * last flag solves the challenge. If one flag is enough, each right submission solves the challenge. A granted submission always
 * solves the challenge. Call this after `updateFoundFlags`.
 */
export function sqlOfSolvingSubmissions(scope: SolveScope, end: Date): SQL {
  return sql`
    select submissions.* from ${submissions}
    where ${inScope('submissions', scope)} and ${counts(end)} and (submissions.is_granted or not exists (
      select 1 from flags where flags.challenge_id = submissions.challenge_id and flags.points is not null))
    union all
    select submissions.* from (
      select distinct on (challenge_id, participation_id) challenge_id, submission_id,
        count(*) over (partition by challenge_id, participation_id) as found
      from ${foundFlags} where ${inScope('found_flags', scope)}
      order by challenge_id, participation_id, found_at desc, submission_id desc) as last
    join ${submissions} on submissions.id = last.submission_id
    where last.found = (select count(*) from flags where flags.challenge_id = last.challenge_id)`
}
