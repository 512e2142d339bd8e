import type { ProblemCode } from '@capstan/contract/problems'
import { DatabaseError } from '@capstan/db/database-error'

/**
 * Problem codes of violated database constraints. If two calls compete, the database decides, and the later call gets this
 * problem.
 */
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

/** Problem code for each table to which a foreign key refers. It applies if the referenced row was deleted during the call. */
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

export function databaseErrorOf(error: unknown): DatabaseError | undefined {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current instanceof DatabaseError) return current
  return undefined
}

/** Returns the problem code of a violated constraint. @returns undefined for other errors */
export function problemCodeOfViolation(error: unknown): ProblemCode | undefined {
  const constraint = databaseErrorOf(error)?.constraint
  return constraint === undefined ? undefined : problemOfViolation(constraint)
}
