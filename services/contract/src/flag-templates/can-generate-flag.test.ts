import { expect, test } from 'vitest'
import { canGenerateFlag } from './can-generate-flag.ts'

const uuid = '0190c7a2-1111-7abc-8def-0123456789ab'

test.each([
  ['flag{a_[TEAM_HASH]}', 'flag{a_0a1b2c3d4e5f}', true],
  ['flag{a_[TEAM_HASH]}', 'flag{a_0a1b2c3d4e5}', false],
  ['flag{a_[TEAM_HASH]}', 'flag{b_0a1b2c3d4e5f}', false],
  ['flag{a_[TEAM_HASH]}', 'flag{a_0a1b2c3d4e5f}x', false],
  ['[LEET]flag{see the sea}', 'flag{5ee_tH3_sE4}', true],
  ['[LEET]flag{see the sea}', 'flag{5ee_tH3_sEx}', false],
  ['', `flag{${uuid}}`, true],
  ['', 'flag{}', false],
  ['flag{[GUID]}', `flag{${uuid}}`, true],
])('the template %j can have generated the flag %j: %j', (template, flag, isOf) => {
  expect(canGenerateFlag(template, flag)).toBe(isOf)
})
