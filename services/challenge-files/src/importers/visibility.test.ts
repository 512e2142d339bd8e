import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

const kctf = 'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: a }\nspec: { image: example/a }\n'

it.each([
  ['ctfcli', 'a/challenge.yml', 'name: a\ntype: standard\nvalue: 1\nflags: [b]\n', 'state: hidden\n'],
  ['rcds', 'a/challenge.yaml', 'name: a\nflag: b\n', 'visible: false\n'],
  ['Konata', 'a/kona.yaml', 'challenges:\n  - name: a\n    flags: { rctf: b }\n', '    hidden: true\n'],
])('a challenge of %s is imported as disabled if its file hides it, and otherwise as enabled', (_, file, text, hiding) => {
  const enabled = (written: string) => importTree(createTextTree({ [file]: written })).map(({ challenge }) => challenge?.enabled)
  expect(enabled(text)).toEqual([true])
  expect(enabled(text + hiding)).toEqual([false])
})

it.each([
  ['', true],
  ['visible: false\n', false],
])('a challenge of kCTF is imported as disabled if its metadata hides it, and otherwise as enabled: %j', (more, enabled) => {
  const metadata = `name: a\nflag: b\n${more}`
  const [only] = importTree(createTextTree({ 'a/challenge.yaml': kctf, 'a/metadata.yaml': metadata }))
  expect(only?.challenge?.enabled).toBe(enabled)
})
