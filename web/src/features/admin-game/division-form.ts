import { allRights, type DivisionRight, divisionRights } from '@capstan/contract/division-rights'
import type { ChallengePermissions, Division } from '@capstan/contract/divisions'
import { Limits } from '@capstan/contract/limits'

/** Values of a division as entered in the form. */
export type DivisionForm = Readonly<{
  name: string
  code: string
  permissions: number
  /** Rights for single challenges. They replace the rights of the division. */
  overrides: readonly ChallengePermissions[]
}>

/** Rights in the order in which the editor shows them. */
export const shownRights = Object.keys(divisionRights) as DivisionRight[]

/** @param division undefined for a new division. A new division requires a review if the game requires one */
export function toDivisionForm(division: Division | undefined, acceptWithoutReview: boolean): DivisionForm {
  return {
    name: division?.name ?? '',
    code: division?.inviteCode ?? '',
    permissions: division?.defaultPermissions ?? setDivisionRight(allRights, 'review', !acceptWithoutReview),
    overrides: division?.challengeConfigs ?? [],
  }
}

/** Returns the permission bits after one right was granted or revoked. */
export function setDivisionRight(permissions: number, right: DivisionRight, isGranted: boolean): number {
  const bit = divisionRights[right]
  return isGranted ? permissions | bit : permissions & ~bit
}

/** Returns the request body that saves the division. */
export function toDivisionRequest({ name, code, permissions, overrides }: DivisionForm) {
  return { name: name.trim(), inviteCode: code.trim(), defaultPermissions: permissions, challengeConfigs: [...overrides] }
}

type DivisionFault = 'divisionEmpty' | 'divisionAll' | 'divisionTwice' | 'divisionCode'

/**
 * Returns the errors of the form by field.
 * @param others names of the other divisions
 */
export function findDivisionFaults(
  { name, code }: Pick<DivisionForm, 'name' | 'code'>,
  others: readonly string[],
): Readonly<{ name?: DivisionFault; code?: DivisionFault }> {
  const own = name.trim()
  const length = [...code.trim()].length
  const nameFault =
    own === '' ? 'divisionEmpty' : own === 'all' ? 'divisionAll' : others.includes(own) ? 'divisionTwice' : undefined
  const hasCodeFault = length > 0 && (length < Limits.minDivisionCodeLength || length > Limits.maxDivisionCodeLength)
  return { ...(nameFault && { name: nameFault }), ...(hasCodeFault && { code: 'divisionCode' }) }
}

/** Returns a random code of 16 letters and digits, without characters that look alike. */
export function createInvitationCode(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => letters[byte % letters.length]).join('')
}
