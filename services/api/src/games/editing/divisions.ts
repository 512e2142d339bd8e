import { overallKey } from '@capstan/contract/board-rules'
import { allRights, divisionRights } from '@capstan/contract/division-rights'
import type { AdminGameWrite } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

/** Name, code and rights of a division. If the code is null, anyone can join the division. */
export type DivisionEntry = Readonly<{
  name: string
  inviteCode: string | null
  /** Rights as bits. If this value is null, the teams have all rights, and need a review only if the game requires reviews. */
  permissions: number | null
}>

/** A group of teams with a separate ranking. */
export type Division = DivisionEntry &
  Readonly<{
    id: number
  }>

/** Rights of a division for one challenge. */
export type DivisionOverride = Readonly<{
  challengeId: number
  permissions: number
}>

export type OverrideRow = DivisionOverride &
  Readonly<{
    divisionId: number
  }>

/**
 * Returns the rights of a division as bits. A division without stored rights has all rights. Its teams need a review only if the
 * game requires reviews.
 */
export function permissionsOfDivision(
  { permissions }: Pick<DivisionEntry, 'permissions'>,
  { acceptWithoutReview }: { readonly acceptWithoutReview: boolean },
): number {
  return permissions ?? (acceptWithoutReview ? allRights & ~divisionRights.review : allRights)
}

type Codes = Readonly<Record<string, string | null>>

function trimKeys(codes: Codes): Map<string, string | null> {
  return new Map(Object.entries(codes).map(([name, code]) => [name.trim(), code?.trim() ?? null]))
}

/**
 * Returns the divisions of a game after an edit. Without `organizations`, the names remain unchanged. If `organizations` is a
 * map, it sets names and codes. If it is a list, it sets only names, and `organizationCodes` may set codes. A division whose name
 * already exists retains its rights. If the edit sets no code, the division also retains its code.
 * @param current divisions in the organizer's order
 */
export function mergeDivisions(
  current: readonly DivisionEntry[],
  write: Pick<AdminGameWrite, 'organizations' | 'organizationCodes'>,
): DivisionEntry[] {
  const { organizations, organizationCodes } = write
  const isMap = organizations && !Array.isArray(organizations)
  const given = trimKeys((isMap ? organizations : organizationCodes) ?? {})
  const list = isMap ? Object.keys(organizations) : organizations
  const names = list?.map((name) => name.trim()) ?? current.map(({ name }) => name)
  const before = new Map(current.map((division) => [division.name, division]))
  return names.map((name) => {
    const { inviteCode = null, permissions = null } = before.get(name) ?? {}
    return { name, inviteCode: given.has(name) ? (given.get(name) ?? null) : inviteCode, permissions }
  })
}

/** @returns `game.divisions` for empty, reserved (`all`) or duplicate names, `game.division-code` for a code of invalid length */
export function refuseInvalidDivisions(
  divisions: readonly DivisionEntry[],
): Extract<ProblemCode, 'game.divisions' | 'game.division-code'> | undefined {
  const names = divisions.map(({ name }) => name)
  if (names.some((name) => name === '' || name === overallKey) || new Set(names).size < names.length) return 'game.divisions'
  const isCode = (code: string) => {
    const length = [...code].length
    return length >= Limits.minDivisionCodeLength && length <= Limits.maxDivisionCodeLength
  }
  return divisions.every(({ inviteCode }) => inviteCode === null || isCode(inviteCode)) ? undefined : 'game.division-code'
}
