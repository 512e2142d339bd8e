import {
  allRights,
  type ChallengeRight,
  challengeRights,
  type DivisionRight,
  divisionRights,
  hasRight,
} from '@capstan/contract/division-rights'
import type { Division } from '@capstan/contract/divisions'

/** Rights of the teams in a division, with names instead of bits and ids. */
export type DivisionRightsState = Readonly<{
  name: string
  rights: readonly DivisionRight[]
  /** Rights for single challenges by the name of the challenge, sorted by name. */
  challenges: Readonly<Record<string, readonly ChallengeRight[]>>
}>

/** Names of all rights, in the order of their bits. */
const allNames = Object.keys(divisionRights) as DivisionRight[]

function namesOf<Right extends DivisionRight>(permissions: number, names: readonly Right[]): Right[] {
  return names.filter((name) => hasRight(permissions, name))
}

function bitsOf(names: readonly DivisionRight[]): number {
  if (names.length === allNames.length) return allRights
  return names.reduce((bits, name) => bits | divisionRights[name], 0)
}

/**
 * Returns the rights of a division for which no rights were ever set. The default rights depend on the review rule of the game.
 */
export function defaultDivisionRights(acceptWithoutReview: boolean): readonly DivisionRight[] {
  return acceptWithoutReview ? allNames.filter((name) => name !== 'review') : allNames
}

/** Returns the rights with their names in a fixed order, because their digests are compared. */
export function sortDivisionRights(
  name: string,
  rights: DivisionRightsState['rights'],
  challenges: DivisionRightsState['challenges'] = {},
): DivisionRightsState {
  const entries = Object.entries(challenges).map(
    ([challenge, names]) => [challenge, challengeRights.filter((each) => names.includes(each))] as const,
  )
  return {
    name,
    rights: allNames.filter((each) => rights.includes(each)),
    challenges: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

export function isDefaultRights({ rights, challenges }: DivisionRightsState, acceptWithoutReview: boolean): boolean {
  const initial = defaultDivisionRights(acceptWithoutReview)
  return (
    rights.length === initial.length && rights.every((name) => initial.includes(name)) && Object.keys(challenges).length === 0
  )
}

/**
 * Returns the rights of divisions on the platform.
 * @param nameById returns the name of a challenge. If it returns undefined, rights for this challenge are omitted
 */
export function rightsOfDivisions(
  divisions: readonly Division[],
  nameById: (id: number) => string | undefined,
): DivisionRightsState[] {
  return divisions.map(({ name, defaultPermissions, challengeConfigs }) => {
    const named = challengeConfigs.flatMap(({ challengeId, permissions }) => {
      const challenge = nameById(challengeId)
      return challenge === undefined ? [] : [[challenge, namesOf(permissions, challengeRights)] as const]
    })
    return sortDivisionRights(name, namesOf(defaultPermissions, allNames), Object.fromEntries(named))
  })
}

/**
 * Returns the fields of a request that sets the rights of a division.
 * @param ids map from the names of challenges to their ids
 * @param nameById returns the name of a challenge. If it returns undefined, rights for this challenge remain unchanged
 */
export function createRightsUpdate(
  { rights, challenges }: DivisionRightsState,
  { challengeConfigs }: Division,
  ids: ReadonlyMap<string, number>,
  nameById: (id: number) => string | undefined,
) {
  const named = Object.entries(challenges).flatMap(([name, names]) => {
    const challengeId = ids.get(name)
    return challengeId === undefined ? [] : [{ challengeId, permissions: bitsOf(names) }]
  })
  const nameless = challengeConfigs.filter(({ challengeId }) => nameById(challengeId) === undefined)
  return { defaultPermissions: bitsOf(rights), challengeConfigs: [...nameless, ...named] }
}
