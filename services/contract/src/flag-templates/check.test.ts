import { describe, expect, test } from 'vitest'
import { flagLengthOf, refuseFlagTemplate } from './check.ts'

describe('a template', () => {
  test.each([
    ['that is blank is fine: its flags are random', '  ', undefined],
    ['with [GUID] is fine', 'flag{[GUID]}', undefined],
    ['with [TEAM_HASH] is fine', 'flag{[TEAM_HASH]}', undefined],
    ['with a leet marker and [TEAM_HASH] is fine', '[LEET]flag{a_[TEAM_HASH]}', undefined],
    ['with exactly 32 bits is fine (16 rows of four)', `flag{${'b'.repeat(16)}}`, undefined],
    ['with 31 bits is too weak', `flag{${'b'.repeat(15)}c}`, 'flag.template-weak'],
    ['with exactly 32 bits after [LEET] is fine', `[LEET]flag{${'c'.repeat(32)}}`, undefined],
    ['with 31 bits after [LEET] is too weak', `[LEET]flag{${'c'.repeat(31)}}`, 'flag.template-weak'],
    ['of 16 A is too weak in the plain table (25.4 bits)', `[LEET]flag{${'a'.repeat(16)}}`, 'flag.template-weak'],
    ['of 16 A is fine in the wide table (32 bits)', `[CLEET]flag{${'a'.repeat(16)}}`, undefined],
    ['without braces is too weak', 'b'.repeat(40), 'flag.template-weak'],
    ['that is a leet marker only is too weak', '[LEET]', 'flag.template-weak'],
    ['with [GUID] in lower case is too weak', 'flag{[guid]}', 'flag.template-weak'],
    ['of 120 characters is fine', `flag{${'b'.repeat(114)}}`, undefined],
    ['of 121 characters is too long', `flag{${'b'.repeat(115)}}`, 'flag.template-long'],
    // The template has 97 characters, and its flags have 36 + 91 = 127.
    ['whose flags have 127 characters is fine', `[GUID]${'x'.repeat(91)}`, undefined],
    ['whose flags have 128 characters is too long', `[GUID]${'x'.repeat(92)}`, 'flag.template-long'],
    // The template has 24 characters, and its flags contain four UUIDs, which are 144 characters.
    ['with four [GUID] is too long', '[GUID][GUID][GUID][GUID]', 'flag.template-long'],
    ['is measured in characters, not in bytes or code units', `[GUID]${'🏴'.repeat(91)}`, undefined],
  ])('%s', (_, template, expected) => {
    expect(refuseFlagTemplate(template)).toBe(expected)
  })
})

test.each([
  ['flag{x}', 7],
  ['[LEET]flag{x}', 7],
  ['flag{[GUID]}', 42],
  ['flag{[TEAM_HASH]}', 18],
  ['[CLEET]{[TEAM_HASH][GUID]} ', 50],
])('flags of %s have %i characters', (template, length) => {
  expect(flagLengthOf(template)).toBe(length)
})
