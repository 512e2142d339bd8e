import { expect, test } from 'vitest'
import { challengePermissionsOfNames, permissionNames, permissionsOfNames } from './permissions.ts'

test.each<[number | null, string[]]>([
  [null, ['All']],
  [0, []],
  [1 + 256, ['JoinGame', 'ViewChallenge']],
  [
    7943,
    [
      ...['JoinGame', 'RankOverall', 'RequireReview', 'ViewChallenge', 'SubmitFlags', 'GetScore', 'GetBlood'],
      'AffectDynamicScore',
    ],
  ],
])('permissions %s are written as %j and read back', (permissions, names) => {
  expect(permissionNames(permissions)).toEqual(names)
  expect(permissionsOfNames(names)).toBe(permissions)
})

test('names of permissions are read in uppercase or lowercase', () => {
  expect(permissionsOfNames(['joingame', 'GETSCORE'])).toBe(1 + 1024)
})

test.each([[undefined], [null], [['All']], [['JoinGame', 'Fly']]])('the list %j means all permissions', (names) => {
  expect(permissionsOfNames(names)).toBeNull()
  expect(challengePermissionsOfNames(names)).toBe(2147483647)
})
