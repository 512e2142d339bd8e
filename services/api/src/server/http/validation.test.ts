import { InputLimits } from '@capstan/contract/limits'
import type { Operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Problem } from '@capstan/contract/problems'
import { describe, expect, test } from 'vitest'
import { createValidator } from './validation.ts'

function refusalOf(operation: Operation, part: 'body' | 'query' | 'params', input: unknown): string | undefined {
  try {
    createValidator(part, operation[part]!)(input)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'request.invalid') throw error
    return error.details.text?.code ?? error.message
  }
}

function profile(change: object) {
  return refusalOf(operations.updateOwnProfile, 'body', change)
}
const account = { userName: 'ada', password: 'Correct1horse', email: 'ada@example.org' }
const times = { start: '2030-01-01T00:00:00Z', end: '2030-01-02T00:00:00Z' }
function game(change: object) {
  return refusalOf(operations.createGame, 'body', { title: 'Game', ...times, ...change })
}

test.each([
  ['+1 (555) 010-9999 ext. 12', undefined],
  ['5'.repeat(InputLimits.maxPhoneLength), undefined],
  ['5'.repeat(InputLimits.maxPhoneLength + 1), 'input.long'],
  // This text is too long and has an invalid character. It is refused for its length, because the length is checked first.
  [`${'5'.repeat(40_000)}!`, 'input.long'],
  ['ext 5', 'input.invalid'],
])('checks the telephone number %s', (phone, refusal) => {
  expect(profile({ phone })).toBe(refusal)
})

test('refuses an email address of more than 254 characters in every call with an address', () => {
  const address = (length: number) => `${'a'.repeat(length - '@example.org'.length)}@example.org`
  const refusals = (email: string) => [
    refusalOf(operations.register, 'body', { ...account, email }),
    refusalOf(operations.requestPasswordReset, 'body', { email }),
    refusalOf(operations.requestEmailChange, 'body', { newMail: email }),
    refusalOf(operations.updateUser, 'body', { email }),
    refusalOf(operations.addUsers, 'body', [{ ...account, email }]),
  ]
  expect(new Set(refusals(address(254)))).toEqual(new Set([undefined]))
  expect(new Set(refusals(address(255)))).toEqual(new Set(['input.long']))
  expect(new Set(refusals(`${'@'.repeat(150_000)}`))).toEqual(new Set(['input.long']))
})

test("accepts a UUID in a path only in the database's format", () => {
  const id = '5c1a1a52-6d1c-4e4f-9a4e-000000000001'
  expect(refusalOf(operations.getUser, 'params', { id })).toBeUndefined()
  expect(refusalOf(operations.getUser, 'params', { id: `urn:uuid:${id}` })).toBe('input.long')
})

describe('validation of numbers', () => {
  test.each([
    [0, undefined],
    [52_459_530, undefined],
    [2 ** 30 - 1, undefined],
    [2 ** 30, 'input.large'],
    [2 ** 64, 'input.large'],
    [1e308, 'input.large'],
    ['1e308', 'input.large'],
    [-1, 'input.small'],
    [1.5, 'input.type'],
  ])('decides whether a blood bonus of %s is valid', (bloodBonus, refusal) => {
    expect(game({ bloodBonus })).toBe(refusal)
  })

  test.each([
    ['originalScore', 1_000_000, 1_000_001],
    ['difficulty', 1_000_000_000, 1e308],
    ['minScoreRate', 1, 1.1],
  ])('limits the %s of a challenge to %s', (field, most, more) => {
    const challenge = (value: number) => refusalOf(operations.updateChallenge, 'body', { [field]: value })
    expect([challenge(most), challenge(more)]).toEqual([undefined, 'input.large'])
  })
})

test('refuses lists and objects with too many members, and the error contains the limit', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `division ${index}`)
  const codes = (count: number) => Object.fromEntries(names(count).map((name) => [name, null]))
  expect([game({ organizations: names(256) }), game({ organizations: names(257) })]).toEqual([undefined, 'input.many'])
  expect([game({ organizationCodes: codes(256) }), game({ organizationCodes: codes(257) })]).toEqual([undefined, 'input.many'])
  const users = Array.from({ length: 5_001 }, () => account)
  expect(refusalOf(operations.addUsers, 'body', users.slice(1))).toBeUndefined()
  expect(refusalOf(operations.addUsers, 'body', users)).toBe('input.many')
})

describe('text that the database cannot store', () => {
  const broken = ['\u0000', 'a\u0000b', '\ud800', 'a\udfffb', '\udc00\ud800']
  test.each(broken.map((text) => [JSON.stringify(text), text]))('refuses %s in every field', (_shown, text) => {
    const refusals = [
      profile({ bio: text }),
      profile({ phone: text }),
      refusalOf(operations.updateSettings, 'body', { globalConfig: { title: text } }),
      refusalOf(operations.updateSettings, 'body', { globalConfig: { slogan: text } }),
      refusalOf(operations.updateSettings, 'body', { accountPolicy: { emailDomainList: text } }),
      refusalOf(operations.acceptInvite, 'body', text),
      refusalOf(operations.createPost, 'body', { title: 'News', tags: ['fine', text] }),
      refusalOf(operations.addFlags, 'body', [{ flag: 'flag{fine}' }, { flag: text }]),
      game({ organizations: [text] }),
      game({ organizations: { [text]: null } }),
      game({ organizationCodes: { fine: `code${text}code` } }),
      game({ organizationCodes: { [text]: null } }),
      refusalOf(operations.searchUsers, 'query', { hint: text }),
      refusalOf(operations.uploadFiles, 'query', { filename: text }),
      refusalOf(operations.getFile, 'params', { hash: '0'.repeat(64), name: text }),
    ]
    expect(new Set(refusals)).toEqual(new Set(['Please check your input']))
  })

  test('complete characters of all Unicode planes are accepted', () => {
    expect(profile({ bio: '👩‍👩‍👧‍👦 𝕏 مرحبا \u{10FFFF}' })).toBeUndefined()
  })

  test('invalid text in unknown fields is accepted, because these fields are dropped', () => {
    expect(profile({ bio: 'fine', unknown: '\ud800', '\u0000': 1 })).toBeUndefined()
  })
})

const calls = Object.entries<Operation>({ ...operations, ...ownOperations })
test.each(calls)('compiles the request schemas of the call %s', (_, operation) => {
  for (const part of ['params', 'query', 'body'] as const)
    if (operation[part]) expect([undefined, expect.any(String)]).toContainEqual(refusalOf(operation, part, {}))
})
