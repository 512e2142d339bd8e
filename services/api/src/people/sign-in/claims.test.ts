import { expect, test } from 'vitest'
import { isValidSubject, mergeTokenAndUserInfoClaims, toSignInProfile } from './claims.ts'

const names = {
  ...{ userName: 'preferred_username', realName: 'name', stdNumber: '', adminClaim: '', adminValue: '' },
  ...{ team: 'team', division: 'division' },
}
function teamOf(team: unknown) {
  return toSignInProfile({ sub: '1', team }, names).team
}
function divisionOf(division: unknown) {
  return toSignInProfile({ sub: '1', division }, names).division
}

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
  expect(toSignInProfile({ sub: '1', team: 'Deck', division: 'Open', '': 'x' }, earlier)).toMatchObject({
    team: null,
    division: '',
  })
})

test('maps the subject unchanged, because subjects are compared exactly', () => {
  expect(toSignInProfile({ sub: ' 1 ' }, names).subject).toBe(' 1 ')
})

test.each([
  ['has 255 characters', 'x'.repeat(255), true],
  ['is empty', '', false],
  ['has 256 characters', 'x'.repeat(256), false],
  ['contains NUL', 'a\u0000b', false],
  ['contains half of a surrogate pair', 'a\ud83d', false],
])('checks a subject that %s', (_, subject, expected) => {
  expect(isValidSubject(subject)).toBe(expected)
})

test.each(['a\u0000da@uni.example', '\ud83dada@uni.example'])(
  'a sign-in ignores an address that the database cannot store',
  (email) => {
    expect(toSignInProfile({ sub: '1', email, email_verified: true }, names)).toMatchObject({
      email: null,
      isEmailVerified: false,
    })
  },
)

test('unsupported characters are removed from names and student numbers', () => {
  const profile = toSignInProfile(
    { sub: '1', preferred_username: 'a\u0000da', name: 'A\u0000da \ud83dL', number: '\ud83d4\u00002' },
    { ...names, stdNumber: 'number' },
  )
  expect(profile).toMatchObject({ userName: 'ada', realName: 'Ada L', stdNumber: '42' })
})

test.each([
  ['the user info, if it contains one', { email: 'b@x.example' }, { email: 'b@x.example', email_verified: undefined }],
  [
    'the ID token, if the user info repeats the address without its verification',
    { email: 'a@x.example' },
    { email: 'a@x.example', email_verified: true },
  ],
  [
    'the user info, if it repeats the address with its verification',
    { email: 'a@x.example', email_verified: false },
    { email: 'a@x.example', email_verified: false },
  ],
  ['the ID token, if the user info contains none', { email_verified: false }, { email: 'a@x.example', email_verified: true }],
])('takes the address and its verification from %s', (_, info, expected) => {
  const token = { sub: '1', email: 'a@x.example', email_verified: true }
  expect(mergeTokenAndUserInfoClaims(token, { sub: '1', name: 'Ada', ...info })).toEqual({ sub: '1', name: 'Ada', ...expected })
})
