import { defaultContainer } from '@capstan/contract/challenge-parts'
import { Limits } from '@capstan/contract/limits'
import { expect, test } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { type ChallengeOf, createDefaultChallenge, type FlagOf } from './challenge.ts'
import { findChallengeFaults, limitFlagRules } from './faults.ts'
import { readDescribedChallenge } from './read.ts'

const flag: FlagOf<null> = { flag: 'flag{a}', file: null }
const challenge: ChallengeOf<null> = {
  ...createDefaultChallenge('Shop', 'Web', 'StaticContainer'),
  attachment: null,
  flags: [flag],
  enabled: true,
}
const rules = Array.from(
  { length: Limits.maxFlagRules + 1 },
  (_, index): FlagOf<null> => ({
    ...flag,
    flag: `flag{${index}}`,
    kind: 'Caseless',
  }),
)
const guardedTcp = { ...defaultContainer, reach: { ...defaultContainer.reach, isGuarded: true } }

test.each<[string, Partial<ChallengeOf<null>>, [string, string][]]>([
  ['a valid challenge', {}, []],
  ['a blank title', { title: '' }, [['request.invalid', '/title']]],
  ['a blank name of the attachment', { attachmentName: '' }, [['request.invalid', '/attachmentName']]],
  ['a guarded port that is not HTTP', { containers: [guardedTcp] }, [['challenge.guard', '/containers/0/reach']]],
  ['a blank flag', { flags: [flag, { ...flag, flag: ' ' }] }, [['request.invalid', '/flags/1/flag']]],
  [
    'a flag that is too long',
    { flags: [{ ...flag, flag: 'a'.repeat(Limits.maxFlagLength + 1) }] },
    [['request.invalid', '/flags/0/flag']],
  ],
  ['a pattern that is not RE2', { flags: [{ ...flag, flag: '(?=a)', kind: 'Pattern' }] }, [['flag.pattern', '/flags/0/flag']]],
  [
    'a rule for the flag of a single team',
    { type: 'DynamicAttachment', flags: [{ ...flag, kind: 'Caseless' }] },
    [['flag.rules', '/flags']],
  ],
  ['too many rules', { flags: rules }, [['flag.rules-many', '/flags']]],
  ['an enabled challenge without a flag', { flags: [] }, [['challenge.no-flag', '/flags']]],
  [
    'a template that teams can guess',
    { type: 'DynamicContainer', flags: [], template: 'flag{same}' },
    [['flag.template-weak', '/template']],
  ],
])('finds the faults of %s', (_, changes, faults) => {
  expect(findChallengeFaults({ ...challenge, ...changes }).map(({ code, at }) => [code, at])).toEqual(faults)
})

test('a list with too many rules retains the first rules and all exact flags', () => {
  expect(limitFlagRules([...rules, flag])).toEqual([...rules.slice(0, Limits.maxFlagRules), flag])
})

test('an import drops and reports a blank flag and a pattern that is not RE2', () => {
  const { challenge: read, findings } = readDescribedChallenge(createTextTree({}), 'capstan.yaml', {
    apiVersion: 'capstan/v1',
    kind: 'Challenge',
    name: 'shop',
    title: 'Shop',
    category: 'Web',
    description: '',
    flags: [{ text: ' ' }, { pattern: '(?=a)' }, { text: ' flag{a} ' }],
  })
  expect(read.flags).toEqual([flag])
  expect(findings).toMatchObject([
    { field: 'flags[0]', outcome: 'left-out', why: `A flag has 1 to ${Limits.maxFlagLength} characters.` },
    { field: 'flags[1]', outcome: 'left-out', why: expect.stringMatching(/^The pattern is not valid RE2: /) },
  ])
})
