import { expect, test } from 'vitest'
import { mapClaims } from './claims.ts'

const names = {
  ...{ userName: 'preferred_username', realName: 'name', stdNumber: '', adminClaim: '', adminValue: '' },
  ...{ team: 'team', division: 'division' },
}
const teamOf = (team: unknown) => mapClaims({ sub: '1', team }, names).team
const divisionOf = (division: unknown) => mapClaims({ sub: '1', division }, names).division

test.each<[string, unknown, ReturnType<typeof teamOf>]>([
  ['a text', ' Deck Hands ', { key: 'Deck Hands', name: 'Deck Hands' }],
  ['a number', 12, { key: '12', name: '12' }],
  ['a list with one text', ['Deck'], { key: 'Deck', name: 'Deck' }],
  ['an object with id and name', { id: 7, name: 'Deck', logo: '' }, { key: '7', name: 'Deck' }],
  ['a name that is too long for a team', `${'x'.repeat(20)}yz`, { key: `${'x'.repeat(20)}yz`, name: 'x'.repeat(20) }],
  ['an object without an id', { name: 'Deck' }, null],
  ['an object without a name', { id: 7 }, null],
  ['a list with two texts', ['Deck', 'Mast'], null],
  ['a list in a list', [['Deck']], null],
  ['an empty list', [], null],
  ['null', null, null],
  ['a truth value', true, null],
  ['blanks', ' ', null],
  ['invisible characters', '\u200b', null],
  ['a control character in the id', { id: 'a\u0000b', name: 'Deck' }, null],
  ['an id of 257 characters', { id: 'x'.repeat(257), name: 'Deck' }, null],
])('reads the team of a claim with %s', (_, claim, expected) => {
  expect(teamOf(claim)).toEqual(expected)
})

test.each<[string, unknown, string]>([
  ['a text', 'Students ', 'Students'],
  ['a control character', 'a\u0000b', ''],
  ['a list', ['Students'], ''],
  ['129 characters', 'x'.repeat(129), ''],
])('reads the division of a claim with %s', (_, claim, expected) => {
  expect(divisionOf(claim)).toBe(expected)
})

test('reads neither team nor division if the provider has no names for these claims, as in earlier versions', () => {
  const { team: _team, division: _division, ...earlier } = names
  expect(mapClaims({ sub: '1', team: 'Deck', division: 'Open', '': 'x' }, earlier)).toMatchObject({ team: null, division: '' })
})
