import { describe, expect, test } from 'vitest'
import { mergeDivisions, permissionsOfDivision, refuseInvalidDivisions } from './divisions.ts'

const current = [
  { name: 'students', inviteCode: 'abcdef', permissions: 258 },
  { name: 'open', inviteCode: null, permissions: null },
]

describe('divisions after an edit', () => {
  test('divisions are unchanged if the list of names is absent or null', () => {
    expect(mergeDivisions(current, {})).toEqual(current)
    expect(mergeDivisions(current, { organizations: null })).toEqual(current)
  })

  test('an empty list of names removes all divisions', () => {
    expect(mergeDivisions(current, { organizations: [] })).toEqual([])
  })

  test('divisions whose names remain in the list retain their codes and rights, and have the order of the list', () => {
    expect(mergeDivisions(current, { organizations: ['guests', ' students '] })).toEqual([
      { name: 'guests', inviteCode: null, permissions: null },
      { name: 'students', inviteCode: 'abcdef', permissions: 258 },
    ])
  })

  test('divisions get the codes of a separate map, which may contain unknown names', () => {
    const write = { organizations: ['students', 'open'], organizationCodes: { open: 'secret1', students: null, gone: 'secret2' } }
    expect(mergeDivisions(current, write)).toEqual([
      { name: 'students', inviteCode: null, permissions: 258 },
      { name: 'open', inviteCode: 'secret1', permissions: null },
    ])
  })

  test('divisions get new codes if the edit has codes but no list of names', () => {
    expect(mergeDivisions(current, { organizationCodes: { open: 'secret1' } })).toEqual([
      { name: 'students', inviteCode: 'abcdef', permissions: 258 },
      { name: 'open', inviteCode: 'secret1', permissions: null },
    ])
  })

  test('divisions get names and codes if the edit is a map from name to code', () => {
    expect(mergeDivisions(current, { organizations: { ' a ': ' 123456 ', b: null } })).toEqual([
      { name: 'a', inviteCode: '123456', permissions: null },
      { name: 'b', inviteCode: null, permissions: null },
    ])
  })
})

test.each([
  [['a', 'b'], undefined],
  [['a', 'a'], 'game.divisions'],
  [[''], 'game.divisions'],
  [['all'], 'game.divisions'],
])('for the division names %j, the problem is %s', (names, refusal) => {
  expect(refuseInvalidDivisions(names.map((name) => ({ name, inviteCode: null, permissions: null })))).toBe(refusal)
})

test.each([
  ['12345', 'game.division-code'],
  ['123456', undefined],
  ['x'.repeat(32), undefined],
  ['x'.repeat(33), 'game.division-code'],
  [null, undefined],
])('for the code %j, refuseInvalidDivisions returns %s', (inviteCode, refusal) => {
  expect(refuseInvalidDivisions([{ name: 'a', inviteCode, permissions: null }])).toBe(refusal)
})

test.each([
  [null, false, 2147483647],
  [null, true, 2147483643],
  [258, false, 258],
  [258, true, 258],
])('for the rights %s and acceptWithoutReview %s, the permissions are %d', (permissions, acceptWithoutReview, expected) => {
  expect(permissionsOfDivision({ permissions }, { acceptWithoutReview })).toBe(expected)
})
