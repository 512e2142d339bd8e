import { expect, test } from 'vitest'
import { readChallenge } from '../format/read.ts'
import { createTextTree } from '../testing/text-tree.ts'
import type { ChallengeFlag } from './challenge.ts'
import { matchFlags } from './flags.ts'
import { readDescribedChallenge } from './read.ts'

function aFlag(flag: string, points?: number): ChallengeFlag {
  return { flag, file: null, ...(points !== undefined && { points }) }
}

test('matchFlags matches each flag with at most one equal flag of the other list, even if their points differ', () => {
  const others = [aFlag('a', 1), aFlag('b', 2), { ...aFlag('a', 3), kind: 'Exact' as const }]
  expect(matchFlags([aFlag('a'), aFlag('a'), aFlag('a'), aFlag('c')], others)).toEqual([
    others[0],
    others[2],
    undefined,
    undefined,
  ])
})

test('matchFlags does not match flags of different kinds', () => {
  expect(matchFlags([{ ...aFlag('a'), kind: 'Caseless' }], [aFlag('a', 1)])).toEqual([undefined])
})

function read(flags: readonly string[]) {
  const lines = ['apiVersion: capstan/v1', 'kind: Challenge', 'name: a', 'title: A', 'category: Web', "description: ''", 'flags:']
  const tree = createTextTree({ 'capstan.yaml': [...lines, ...flags].join('\n'), 'flag.txt': 'flag{file}\n', 'a.zip': 'a' })
  const { challenge } = readChallenge(tree, 'capstan.yaml')
  const author = { environment: { FLAG: 'flag{environment}' }, builtImage: () => undefined }
  return readDescribedChallenge(tree, 'capstan.yaml', challenge!, author)
}

test('a challenge file may contain points for flags of every kind', () => {
  const { challenge, findings } = read([
    '  - { text: "flag{text}", points: 10 }',
    '  - { file: flag.txt, points: 20 }',
    '  - { environment: FLAG, points: 30 }',
    '  - { pattern: "flag.+", points: 0 }',
    '  - text: "flag{none}"',
  ])
  expect(findings).toEqual([])
  expect(challenge.flags.map(({ flag, points }) => [flag, points])).toEqual([
    ['flag{text}', 10],
    ['flag{file}', 20],
    ['flag{environment}', 30],
    ['flag.+', 0],
    ['flag{none}', undefined],
  ])
})

test('points are refused for a flag that belongs to one team', () => {
  const { challenge, findings } = read(['  - { text: "flag{one}", points: 10, attachment: { file: a.zip } }'])
  expect(findings.map(({ field, outcome }) => [field, outcome])).toEqual([['flags', 'refused']])
  expect(challenge.flags.map(({ points }) => points)).toEqual([undefined])
})
