import { type DivisionRights, hasRight, rightsFor } from '@capstan/contract/division-rights'
import type { ProblemCode } from '@capstan/contract/problems'

type RightRefusal = Extract<ProblemCode, 'challenge.unknown' | 'division.submit'>

/** True if teams of a division see the challenge. @param division undefined for a team without a division */
export function seesChallenge(division: DivisionRights | undefined, challengeId: number): boolean {
  return hasRight(rightsFor(division, challengeId), 'see')
}

/**
 * Checks a call about a challenge against the rights of the caller's division. A challenge that the division does not see is
 * refused as unknown.
 * @param division undefined for a team without a division
 */
export function refuseByRights(
  division: DivisionRights | undefined,
  challengeId: number,
  call: 'see' | 'submit',
): RightRefusal | undefined {
  if (!seesChallenge(division, challengeId)) return 'challenge.unknown'
  return hasRight(rightsFor(division, challengeId), call) ? undefined : 'division.submit'
}
