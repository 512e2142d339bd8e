import { createTextTree } from '@capstan/challenge-files/testing/text-tree'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import { Limits } from '@capstan/contract/limits'
import { expect, test } from 'vitest'
import { readChallengeArchive } from './read-archive.ts'

test('files that look like a descriptor but have an unknown format are reported, except next to a capstan.yaml', () => {
  const own = 'apiVersion: capstan/v1\nkind: Challenge\nname: c\ntitle: C\ncategory: Web\ndescription: d\nflags: [{text: f}]\n'
  const { challenges, findings } = readChallengeArchive(
    createTextTree({
      'a/challenge.yml': 'name: A\ntype: standard\nvalue: 1\nflags: [f]\n',
      'b/problem.md': '# B\n',
      'c/capstan.yaml': own,
      'c/problem.md': '# C\n',
    }),
  )
  expect(challenges.map(({ title }) => title)).toEqual(['A', 'C'])
  expect(findings).toMatchObject([
    { file: 'b/problem.md', outcome: 'left-out', why: 'It is not imported, because its format is not known.' },
  ])
})

test('settings of a package that the editor refuses are dropped and reported', () => {
  const time = '2026-05-01T12:00:00Z'
  const game = { title: 'Game', startTime: time, endTime: time }
  const statistics = { challengeCount: 1, divisionCount: 0, totalFlags: 0, totalFiles: 0, totalFileSize: 0 }
  const manifest = {
    version: '1.0',
    format: 'CapstanGame',
    exportedAt: time,
    exporterVersion: '1',
    game: { id: 1, title: 'Game' },
  }
  const reach = { speaks: 'tcp', isRaw: false, hasOwnCertificate: false, isGuarded: true }
  const rules = Array.from({ length: Limits.maxFlagRules + 1 }, (_, index) => ({ value: `flag{${index}}`, ignoresCase: true }))
  const challenge = {
    ...{ id: 1, title: ' Shop ', category: 'Web', type: 'StaticContainer' },
    flags: { static: [{ value: ' ' }, { value: ' flag{a} ' }, ...rules], patterns: [{ value: '(?=a)' }] },
    container: { image: ' shop ' },
    containers: [{ ...defaultContainer, reach }],
  }
  const { challenges } = readChallengeArchive(
    createTextTree({
      'manifest.json': JSON.stringify({ ...manifest, statistics }),
      'game.json': JSON.stringify(game),
      'challenges/challenge-1.json': JSON.stringify(challenge),
    }),
  )
  const { described, findings } = challenges[0]!
  expect(described?.challenge).toMatchObject({ title: 'Shop', containers: [{ image: 'shop', reach: defaultContainer.reach }] })
  expect(described?.challenge.flags.slice(0, 2)).toMatchObject([{ flag: 'flag{a}' }, { flag: 'flag{0}', kind: 'Caseless' }])
  expect(described?.challenge.flags).toHaveLength(1 + Limits.maxFlagRules)
  expect(described?.challenge.containers[0]?.reach.isGuarded).toBeUndefined()
  expect(findings.map(({ field, outcome }) => [field, outcome])).toEqual([
    ['flags.static[0]', 'left-out'],
    ['flags.patterns[0]', 'left-out'],
    ['flags', 'left-out'],
    ['containers[0].reach', 'left-out'],
  ])
})
