import { createTextTree } from '@capstan/challenge-files/testing/text-tree'
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
