import { describe, expect, test } from 'vitest'
import { cryptoRandom } from '../signing/random.ts'
import { scriptedRandom } from '../signing/testing/scripted-random.ts'
import { computeTeamHash, generateFlag, generateTestContainerFlag } from './template.ts'

const context = { gameSalt: 'salt', challengeId: 3, teamToken: '7:abc' }
/** Characters 13 to 24 of `printf '<digest>::7:abc' | sha256sum`. `<digest>` is the output of `printf 'salt::3' | sha256sum`. */
const hash = 'a9620d901fc8'
const uuid1 = '00000000-0000-4000-8000-000000000001'

describe('generated flags, with a random source that always chooses the last leet character', () => {
  test.each([
    ['no template gives a random UUID', null, `flag{${uuid1}}`],
    ['an empty template gives a random UUID', '', `flag{${uuid1}}`],
    ['a blank template gives a random UUID', '  ', `flag{${uuid1}}`],
    ['[GUID] becomes a UUID', 'ctf{[GUID]}', `ctf{${uuid1}}`],
    ['every [GUID] becomes the same UUID', '[GUID]{[GUID]}', `${uuid1}{${uuid1}}`],
    ['[TEAM_HASH] becomes 12 digits', 'ctf{[TEAM_HASH]}', `ctf{${hash}}`],
    ['a template with [GUID] is not converted to leet', 'ctf{abc [GUID]}', `ctf{abc ${uuid1}}`],
    ['a template with [TEAM_HASH] is not converted to leet', 'ctf{abc_[TEAM_HASH]}', `ctf{abc_${hash}}`],
    ['[GUID] and [TEAM_HASH] can be combined', 'ctf{[GUID]-[TEAM_HASH]}', `ctf{${uuid1}-${hash}}`],
    ['[LEET] is removed, and the plain table is used', '[LEET]abc{abc}', 'abc{48c}'],
    ['[CLEET] is removed, and the wide table is used', '[CLEET]abc{abc}', 'abc{@&(}'],
    ['a template without markers uses the plain table', 'abc{abc}', 'abc{48c}'],
    ['[LEET] can be combined with [TEAM_HASH], whose digits are not converted', '[LEET]ctf{abc_[TEAM_HASH]}', `ctf{48c_${hash}}`],
    ['[CLEET] can be combined with [TEAM_HASH]', '[CLEET]ctf{abc_[TEAM_HASH]}', `ctf{@&(_${hash}}`],
    ['[LEET] can be combined with [GUID], which is not converted', '[LEET]ctf{abc [GUID]}', `ctf{48c_${uuid1}}`],
    ['[CLEET] can be combined with [GUID]', '[CLEET]ctf{a[GUID]}', `ctf{@${uuid1}}`],
    ['[LEET] remains text if it is not at the start', 'ctf{[LEET]abc}', 'ctf{[LEET]48c}'],
    ['markers in lower case remain text', 'ctf{[guid]abc}', 'ctf{[guid]48c}'],
    ['a template of only a leet marker gives a random UUID', '[LEET]', `flag{${uuid1}}`],
    ['blanks at the ends are dropped, as answers are trimmed', ' ctf{[GUID]} ', `ctf{${uuid1}}`],
  ])('rule for templates: %s', (_, template, expected) => {
    expect(generateFlag(template, context, scriptedRandom())).toBe(expected)
  })
})

describe('the team hash', () => {
  test('the team hash consists of digits 13 to 24 of the documented digest', () => {
    expect(computeTeamHash(context)).toBe(hash)
  })

  test.each([
    ['game', { ...context, gameSalt: 'other' }],
    ['challenge', { ...context, challengeId: 4 }],
    ['team', { ...context, teamToken: '8:abc' }],
  ])('the team hash changes if the %s changes', (_, other) => {
    expect(computeTeamHash(other)).not.toBe(hash)
  })
})

test('leet flags from one template have the same length, and differ with real randomness', () => {
  const make = () => generateFlag('ctf{the_quick_brown_fox_jumps_over}', context, cryptoRandom)
  const flags = new Set(Array.from({ length: 20 }, make))
  expect(flags.size).toBe(20)
  for (const flag of flags) expect(flag).toHaveLength(35)
})

describe('the flag of a test container', () => {
  test.each([null, '', '  ', '[LEET]'])('for the template %j, the flag of a test container is fixed', (template) => {
    expect(generateTestContainerFlag(template, context, cryptoRandom)).toBe('flag{this_is_a_test_flag}')
  })

  test('the flag of a test container follows the template and uses a random team token', () => {
    const flag = generateTestContainerFlag('[LEET]ctf{abc_[TEAM_HASH]}', context, scriptedRandom())
    expect(flag).toBe(`ctf{48c_${computeTeamHash({ ...context, teamToken: uuid1 })}}`)
    expect(generateTestContainerFlag('[TEAM_HASH]', context, cryptoRandom)).not.toBe(
      generateTestContainerFlag('[TEAM_HASH]', context, cryptoRandom),
    )
  })
})
