import { expect, it } from 'vitest'
import { formatChallengeFile } from '../format/write.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'
import { createImportComment } from './known-names.ts'
import { chooseChallengePaths } from './place.ts'

type Files = Readonly<Record<string, string>>

function filesAfterImport(files: Files): Files {
  const tree = createTextTree(files)
  const placed = chooseChallengePaths(tree, importTree(tree))
  return {
    ...files,
    ...Object.fromEntries(
      placed.map(({ target, challenge, imported }) => [
        target,
        formatChallengeFile(challenge, createImportComment(imported.file)),
      ]),
    ),
  }
}

function namesOf(files: Files) {
  const tree = createTextTree(files)
  return chooseChallengePaths(tree, importTree(tree)).map(({ target, challenge }) => [target, challenge.name, challenge.title])
}

function survey(year: number) {
  return { [`${year}/misc/survey/challenge.yaml`]: `name: Survey ${year}\nflag: flag{${year}}\n` }
}

it('a second import does not rename a challenge if a new challenge has the same name', () => {
  const first = filesAfterImport(survey(2025))
  expect(namesOf(first)).toEqual([['2025/misc/survey/capstan.yaml', 'survey', 'Survey 2025']])
  expect(namesOf({ ...first, ...survey(2024) })).toEqual([
    ['2024/misc/survey/capstan.yaml', 'survey-2024-misc', 'Survey 2024'],
    ['2025/misc/survey/capstan.yaml', 'survey', 'Survey 2025'],
  ])
})

it('challenges with the same name get names derived from their paths', () => {
  expect(namesOf({ ...survey(2024), ...survey(2025) }).map(([, name]) => name)).toEqual(['survey-2024-misc', 'survey-2025-misc'])
})

it('a second import retains the name of a renamed challenge, and the paths of several challenges in a folder', () => {
  const text = (name: string) => `name: ${name}\ncategory: web\nvalue: 1\ntype: standard\nflags: [f]\n`
  const first = filesAfterImport({ 'web/a/challenge.yml': text('One'), 'web/a/ctfcli.yaml': text('Two') })
  const more = { ...first, 'web/a/challenge.yaml': text('Zero'), 'web/a/challenge.yml': text('Other') }
  expect(namesOf(more)).toEqual([
    ['web/a/zero/capstan.yaml', 'zero', 'Zero'],
    ['web/a/capstan.yaml', 'one', 'Other'],
    ['web/a/two/capstan.yaml', 'two', 'Two'],
  ])
})

it('imported prerequisites refer to the final names of challenges', () => {
  const text = (name: string, more = '') => `name: ${name}\ncategory: web\nvalue: 1\nflags: [f]\n${more}`
  const names = importTree(
    createTextTree({
      '2024/web/a/challenge.yml': text('Start'),
      '2024/web/b/challenge.yml': text('Next', 'requirements: [Start]\n'),
      '2025/web/a/challenge.yml': text('Start'),
      '2025/web/b/challenge.yml': text('Last', 'requirements: [Start]\n'),
    }),
  ).map(({ challenge }) => [challenge?.name, challenge?.unlock?.after?.[0]])
  expect(names).toEqual([
    ['start-2024-web-a', undefined],
    ['next', 'start-2024-web-a'],
    ['start-2025-web-a', undefined],
    ['last', 'start-2025-web-a'],
  ])
})

it('a prerequisite is found by its title if its challenge is named after the folder', () => {
  const event = (title: string, more: object = {}) => JSON.stringify({ title, flag: 'f', points: 1, ...more })
  const imported = importTree(
    createTextTree({
      'web/first/challenge.json': event('The Start'),
      'web/second/challenge.json': event('Then', { requirements: ['The Start', 'Missing'] }),
      'web/third/challenge.json': event('Last', { unlock_requirement: 'The Start' }),
    }),
  )
  expect(imported.map(({ challenge }) => [challenge?.name, challenge?.unlock])).toEqual([
    ['first', undefined],
    ['second', { after: ['first'], locked: 'Hidden' }],
    ['third', { after: ['first'], locked: 'Hidden' }],
  ])
})
