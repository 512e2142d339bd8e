import { overallKey } from '@capstan/contract/board-rules'
import type { AdminGameWrite } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import type { ProblemCode } from '@capstan/contract/problems'

/** A group of teams with a separate ranking. If the code is null, anyone can join. */
export type Division = Readonly<{
  name: string
  inviteCode: string | null
}>

type Codes = Readonly<Record<string, string | null>>

function trimKeys(codes: Codes): Map<string, string | null> {
  return new Map(Object.entries(codes).map(([name, code]) => [name.trim(), code?.trim() ?? null]))
}

/**
 * Returns the divisions of a game after an edit. An absent or null list changes nothing. The map form sets names and codes.
 * The list form sets names, and existing names retain their codes unless `codes` sets them.
 * @param current divisions in the organizer's order
 */
export function divisionsAfter(
  current: readonly Division[],
  write: Pick<AdminGameWrite, 'organizations' | 'organizationCodes'>,
): Division[] {
  const { organizations, organizationCodes } = write
  if (organizations && !Array.isArray(organizations))
    return Object.entries(organizations).map(([name, code]) => ({ name: name.trim(), inviteCode: code?.trim() ?? null }))
  const names = organizations?.map((name) => name.trim()) ?? current.map(({ name }) => name)
  const currentCodes = new Map(current.map(({ name, inviteCode }) => [name, inviteCode]))
  const given = trimKeys(organizationCodes ?? {})
  return names.map((name) => ({ name, inviteCode: (given.has(name) ? given.get(name) : currentCodes.get(name)) ?? null }))
}

/** @returns `game.divisions` for empty, reserved (`all`) or duplicate names, `game.division-code` for a code of invalid length */
export function refuseDivisions(
  divisions: readonly Division[],
): Extract<ProblemCode, 'game.divisions' | 'game.division-code'> | undefined {
  const names = divisions.map(({ name }) => name)
  if (names.some((name) => name === '' || name === overallKey) || new Set(names).size < names.length) return 'game.divisions'
  const isCode = (code: string) => {
    const length = [...code].length
    return length >= Limits.minDivisionCodeLength && length <= Limits.maxDivisionCodeLength
  }
  return divisions.every(({ inviteCode }) => inviteCode === null || isCode(inviteCode)) ? undefined : 'game.division-code'
}
