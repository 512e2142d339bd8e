import { expect, test } from 'vitest'
import { importTree } from '../importers/import.ts'
import { createTextTree } from '../testing/text-tree.ts'
import { findCapstanFiles } from './find.ts'

function challenge(name: string) {
  return `apiVersion: capstan/v1\nkind: Challenge\nname: ${name}\ntitle: ${name}\ncategory: Web\ndescription: ""\nflags: []\n`
}
const game = 'apiVersion: capstan/v1\nkind: Game\nname: cup\ntitle: Cup\n'

test('the search for challenges ignores folders with files for players', () => {
  const tree = createTextTree({
    'capstan.yaml': game,
    'images/capstan.yaml': challenge('image-of-the-game'),
    'files/x/capstan.yaml': challenge('category-of-that-name'),
    'web/a/capstan.yaml': challenge('a'),
    'web/a/images/capstan.yaml': challenge('image'),
    'web/a/files/deep/er/capstan.yaml': challenge('attachment'),
    'web/a/below/capstan.yaml': challenge('below'),
    'web/files/capstan.yaml': challenge('files'),
    'web/broken/capstan.yaml': 'kind: [',
    'web/broken/files/capstan.yaml': challenge('beside-a-broken-one'),
  })
  const { files, isAttachedPath } = findCapstanFiles(tree)
  expect(files.map(({ file }) => file)).toEqual([
    'capstan.yaml',
    'files/x/capstan.yaml',
    'web/a/below/capstan.yaml',
    'web/a/capstan.yaml',
    'web/broken/capstan.yaml',
    'web/files/capstan.yaml',
  ])
  expect(isAttachedPath('web/a/images/x/y.png')).toBe(true)
  expect(isAttachedPath('web/a/other/y.png')).toBe(false)
})

test('the search for descriptors of other platforms ignores folders with files for players', () => {
  const text = 'name: A\ndescription: d\nflag: flag{a}\n'
  const tree = createTextTree({
    'web/a/capstan.yaml': challenge('a'),
    'web/a/files/challenge.yaml': text,
    'web/b/challenge.yaml': text,
  })
  expect(importTree(tree).map(({ file }) => file)).toEqual(['web/b/challenge.yaml'])
})
