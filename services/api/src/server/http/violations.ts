import type { ProblemCode } from '@capstan/contract/problems'
import { DatabaseError } from '@capstan/db/database-error'

/** Constraint of the database -> the problem its violation means. The database settles races; this names the loser. */
const problemOfConstraint: Readonly<Record<string, ProblemCode>> = {
  users_user_name_key: 'username.taken',
  users_name_skeleton_key: 'username.taken',
  users_name_shape_key: 'username.taken',
  users_name_reading_key: 'username.taken',
  users_email_key: 'email.taken',
  teams_name_skeleton_key: 'team.name-taken',
  teams_name_shape_key: 'team.name-taken',
  teams_name_reading_key: 'team.name-taken',
  team_members_pkey: 'team.already-member',
  teams_captain_id_users_id_fk: 'user.captain',
  participation_members_pkey: 'join.already',
  instances_live_key: 'instance.running',
  instances_live_test_key: 'instance.running',
}

/** Table that a foreign key leads to -> the problem when a new row's other end was deleted while the call was under way. */
const problemOfLostRow: Readonly<Record<string, ProblemCode>> = {
  users: 'session.required',
  teams: 'team.unknown',
  games: 'game.unknown',
  participations: 'participation.required',
  challenges: 'challenge.unknown',
  instances: 'instance.unknown',
}

function problemOfViolation(constraint: string): ProblemCode | undefined {
  return problemOfConstraint[constraint] ?? problemOfLostRow[/_([a-z]+)_id_fk$/.exec(constraint)?.[1] ?? '']
}

/** The failure of the database behind any thrown value. */
export function databaseErrorOf(error: unknown): DatabaseError | undefined {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current instanceof DatabaseError) return current
  return undefined
}

/** The problem that a violated constraint means; undefined for other errors. */
export function violationOf(error: unknown): ProblemCode | undefined {
  const constraint = databaseErrorOf(error)?.constraint
  return constraint === undefined ? undefined : problemOfViolation(constraint)
}
