import { allRights, type DivisionRight, divisionRights } from '@capstan/contract/division-rights'

const everything = 'All'

/** Names of the rights in a package. */
const names: Readonly<Record<DivisionRight, string>> = {
  join: 'JoinGame',
  rank: 'RankOverall',
  review: 'RequireReview',
  see: 'ViewChallenge',
  submit: 'SubmitFlags',
  points: 'GetScore',
  bloods: 'GetBlood',
  value: 'AffectDynamicScore',
}
const rights = Object.entries(names) as [DivisionRight, string][]

/** Returns the names of rights. @param permissions null if the division has all rights */
export function permissionNames(permissions: number | null): string[] {
  if (permissions === null) return [everything]
  return rights.flatMap(([right, name]) => ((permissions & divisionRights[right]) === 0 ? [] : [name]))
}

/** Returns the bits of named rights. @returns null, which means all rights, if the list is absent or a name is unknown */
export function permissionsOfNames(list: readonly string[] | null | undefined): number | null {
  if (!list) return null
  let permissions = 0
  for (const given of list) {
    const found = rights.find(([, name]) => name.toLowerCase() === given.toLowerCase())
    if (!found) return null
    permissions |= divisionRights[found[0]]
  }
  return permissions
}

/** Returns the bits of named rights for one challenge. An absent list means all rights. */
export function challengePermissionsOfNames(list: readonly string[] | null | undefined): number {
  return permissionsOfNames(list) ?? allRights
}
