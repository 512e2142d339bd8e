import { describe, expect, test } from 'vitest'
import { divisionsAfter, refuseDivisions } from './divisions.ts'

const current = [
  { name: 'students', inviteCode: 'abcdef' },
  { name: 'open', inviteCode: null },
]

describe('divisions after an edit', () => {
  test('stay when the list is absent or null', () => {
    expect(divisionsAfter(current, {})).toEqual(current)
    expect(divisionsAfter(current, { organizations: null })).toEqual(current)
  })

  test('go with an empty list', () => {
    expect(divisionsAfter(current, { organizations: [] })).toEqual([])
  })

  test('keep the codes of names that remain, in the order of the list', () => {
    expect(divisionsAfter(current, { organizations: ['guests', ' students '] })).toEqual([
      { name: 'guests', inviteCode: null },
      { name: 'students', inviteCode: 'abcdef' },
    ])
  })

  test('take codes that are given beside the list; entries for other names are ignored', () => {
    const write = { organizations: ['students', 'open'], organizationCodes: { open: 'secret1', students: null, gone: 'secret2' } }
    expect(divisionsAfter(current, write)).toEqual([
      { name: 'students', inviteCode: null },
      { name: 'open', inviteCode: 'secret1' },
    ])
  })

  test('take codes without a list too', () => {
    expect(divisionsAfter(current, { organizationCodes: { open: 'secret1' } })).toEqual([
      { name: 'students', inviteCode: 'abcdef' },
      { name: 'open', inviteCode: 'secret1' },
    ])
  })

  test('take names and codes at once from the map form', () => {
    expect(divisionsAfter(current, { organizations: { ' a ': ' 123456 ', b: null } })).toEqual([
      { name: 'a', inviteCode: '123456' },
      { name: 'b', inviteCode: null },
    ])
  })
})

test.each([
  [['a', 'b'], undefined],
  [['a', 'a'], 'game.divisions'],
  [[''], 'game.divisions'],
  [['all'], 'game.divisions'],
])('the names %j are refused as %s', (names, refusal) => {
  expect(refuseDivisions(names.map((name) => ({ name, inviteCode: null })))).toBe(refusal)
})

test.each([
  ['12345', 'game.division-code'],
  ['123456', undefined],
  ['x'.repeat(32), undefined],
  ['x'.repeat(33), 'game.division-code'],
  [null, undefined],
])('the code %j is refused as %s', (inviteCode, refusal) => {
  expect(refuseDivisions([{ name: 'a', inviteCode }])).toBe(refusal)
})
