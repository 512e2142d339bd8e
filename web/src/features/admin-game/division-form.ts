import {
  allRights,
  type ChallengePermissions,
  type Division,
  type DivisionRight,
  divisionRights,
} from '@capstan/contract/divisions'
import { Limits } from '@capstan/contract/limits'

/** A division as typed. */
export type DivisionForm = Readonly<{
  name: string
  code: string
  permissions: number
  /** Rights for single challenges, which replace the rights of the division. */
  overrides: readonly ChallengePermissions[]
}>

/** Rights in the order of the editor. */
export const shownRights = Object.keys(divisionRights) as DivisionRight[]

/** @param division undefined for a new division, which needs a review if the game has one */
export function divisionFormOf(division: Division | undefined, acceptWithoutReview: boolean): DivisionForm {
  return {
    name: division?.name ?? '',
    code: division?.inviteCode ?? '',
    permissions: division?.defaultPermissions ?? withRight(allRights, 'review', !acceptWithoutReview),
    overrides: division?.challengeConfigs ?? [],
  }
}

/** Returns the bits with one right granted or withdrawn. */
export function withRight(permissions: number, right: DivisionRight, isGranted: boolean): number {
  const bit = divisionRights[right]
  return isGranted ? permissions | bit : permissions & ~bit
}

/** Returns the body of a save. */
export function divisionWriteOf({ name, code, permissions, overrides }: DivisionForm) {
  return { name: name.trim(), inviteCode: code.trim(), defaultPermissions: permissions, challengeConfigs: [...overrides] }
}

type DivisionFault = 'divisionEmpty' | 'divisionAll' | 'divisionTwice' | 'divisionCode'

/** Returns the faults of the form by field. @param others names of the other divisions */
export function divisionFaultsOf(
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

/** Returns 16 letters and digits without similar characters. */
export function randomCode(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => letters[byte % letters.length]).join('')
}
