import { bulkUserRules } from '@capstan/contract/account-rules'
import type { BulkUser } from '@capstan/contract/admin'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createValidator } from '../../server/http/validation.ts'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

let rows = 0
/** Returns a valid row with unique values. */
function aRow(): BulkUser {
  rows += 1
  return { userName: `user ${rows}`, password: 'Secret1', email: `user${rows}@example.org` }
}

function of(length: number, letter = 'x') {
  return letter.repeat(length)
}

/** Values to test in each column. No value is used twice, since other tests cover duplicate names and addresses. */
const samples: Readonly<Record<keyof BulkUser, readonly string[]>> = {
  userName: [
    '',
    '   ',
    'ab',
    ' ab',
    'abc',
    'n\u0000ul',
    'half\ud83d',
    '龍虎豹',
    of(15, 'q'),
    of(16, 'q'),
    of(15, '🦊'),
    of(16, '🦊'),
  ],
  password: [
    ...['', '      ', 'Abc12', 'Abc123', 'abcdef1', 'ABCDEF1', 'Abcdefg', 'Ab٣٤٥٦', 'Äß1234', 'ÄÖ12345', 'Aa1 😀😀', 'Aa1😀😀'],
    ...['Ab1234\u0000', 'Ab1234\udc00', 'Ⅷⅷ12345', 'Ａｂ１２３４'],
    ...[`Aa1${of(InputLimits.maxPasswordLength - 3)}`, `Aa1${of(InputLimits.maxPasswordLength - 2)}`],
  ],
  email: [
    ...[
      '',
      ' ',
      '@',
      'a@',
      '@a',
      'a@a',
      'b@@b',
      'c@c@c',
      'd d@d',
      'e@e e',
      ' f@f',
      'g@g ',
      'h\t@h',
      'i@\u00a0i',
      'j@j\u3000',
      'k@\ufeffk',
    ],
    ...[
      'ünï@cödé',
      'l@l\ud800',
      'm@m\u0000',
      '"o o"@o',
      'p@[::1]',
      '😀@😀',
      `${of(252)}@b`,
      `${of(253)}@b`,
      `${of(252, '😀')}@b`,
    ],
  ],
  phone: ['', ' ', '5', '+49 (30) 123-45', '+', 'call me', '1 ext. 22', '1x', '٣٤', of(64, '5'), of(65, '5')],
  realName: ['', 'Mira Ito', 'a\u0000', 'b\ud83d', of(Limits.maxRealNameLength, '😀'), of(Limits.maxRealNameLength + 1)],
  stdNumber: ['', 'S-17', 'a\u0000', of(Limits.maxStudentNumberLength, '😀'), of(Limits.maxStudentNumberLength + 1)],
  teamName: ['', ' ', 'Reds', 'a\u0000', 'b\udc00', of(15, 'w'), of(16, 'w'), of(15, '🐢')],
}

test.each(Object.keys(samples) as (keyof BulkUser)[])(
  'the shared rule for %s agrees with the response of the server',
  async (column) => {
    const verdicts = samples[column].map((value) => [value, bulkUserRules[column](value)])
    const answers: unknown[] = []
    for (const value of samples[column]) {
      const { statusCode } = await admin.post(operations.addUsers.path, [{ ...aRow(), [column]: value }])
      answers.push([value, statusCode === 200])
    }
    expect(verdicts).toEqual(answers)
    expect(new Set(verdicts.map(([, isTaken]) => isTaken))).toEqual(new Set([true, false]))
  },
)

const pieces = fc.constantFrom(
  '@',
  '@',
  'a',
  'B',
  '7',
  ' ',
  '\t',
  '\u3000',
  '\ufeff',
  'ß',
  '٣',
  '😀',
  '\ud83d',
  '\u0000',
  '.',
  of(125),
  of(500),
)
const text = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)

test('the shared rules and the schema refuse the same names, addresses and numbers', () => {
  const validate = createValidator('body', operations.addUsers.body)
  const passes = (row: BulkUser): boolean => {
    try {
      return validate([row]) !== undefined
    } catch {
      return false
    }
  }
  const row = aRow()
  fc.assert(
    fc.property(text, fc.constantFrom('email', 'phone', 'realName', 'stdNumber', 'teamName'), (value, column) => {
      expect(bulkUserRules[column](value)).toBe(passes({ ...row, [column]: value }))
    }),
    { numRuns: 3_000 },
  )
})
