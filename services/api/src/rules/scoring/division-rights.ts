import { type DivisionRights, hasRight, rightsForChallenge } from '@capstan/contract/division-rights'
import type { ProblemCode } from '@capstan/contract/problems'

type RightRefusal = Extract<ProblemCode, 'challenge.unknown' | 'division.submit'>

/** True if teams of a division see the challenge. @param division undefined for a team without a division */
export function divisionSeesChallenge(division: DivisionRights | undefined, challengeId: number): boolean {
  return hasRight(rightsForChallenge(division, challengeId), 'see')
}

/**
 * Checks a call about a challenge against the rights of the caller's division. A challenge that the division does not see is
 * refused as unknown.
 * @param division undefined for a team without a division
 */
export function refuseCallWithoutDivisionRight(
  division: DivisionRights | undefined,
  challengeId: number,
  call: 'see' | 'submit',
): RightRefusal | undefined {
  if (!divisionSeesChallenge(division, challengeId)) return 'challenge.unknown'
  return hasRight(rightsForChallenge(division, challengeId), call) ? undefined : 'division.submit'
}
