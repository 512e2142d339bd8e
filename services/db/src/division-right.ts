import { allRights, type DivisionRight, divisionRights } from '@capstan/contract/division-rights'
import { type SQL, sql } from 'drizzle-orm'

type RightQuery = Readonly<{
  /** Alias of the participation's row in the query. */
  participation: string
  challengeId: SQL
  right: DivisionRight
}>

/**
 * Returns a condition that is true if the division of a participation has a right for a challenge. Teams without a division have
 * all rights.
 */
export function divisionRightCondition({ participation, challengeId, right }: RightQuery): SQL {
  const team = sql.identifier(participation)
  return sql`coalesce((
    select coalesce(division_challenges.permissions, divisions.permissions) from divisions
    left join division_challenges on division_challenges.division_id = divisions.id and division_challenges.challenge_id = ${challengeId}
    where divisions.game_id = ${team}.game_id and divisions.name = ${team}.division
  ), ${sql.raw(String(allRights))}) & ${sql.raw(String(divisionRights[right]))} <> 0`
}
