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
])('writes %s as %j and reads it back', (permissions, names) => {
  expect(permissionNames(permissions)).toEqual(names)
  expect(permissionsOfNames(names)).toBe(permissions)
})

test('reads names in uppercase or lowercase', () => {
  expect(permissionsOfNames(['joingame', 'GETSCORE'])).toBe(1 + 1024)
})

test.each([[undefined], [null], [['All']], [['JoinGame', 'Fly']]])('returns all rights for %j', (names) => {
  expect(permissionsOfNames(names)).toBeNull()
  expect(challengePermissionsOfNames(names)).toBe(2147483647)
})
