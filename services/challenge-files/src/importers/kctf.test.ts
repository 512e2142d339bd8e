import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

const text = 'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: a }\nspec: { image: example/a }\n'

it.each([
  [['challenge/assets/flag.txt'], 'challenge/assets/flag.txt'],
  [['challenge/x/flag', 'challenge/y/flag'], undefined],
  [['solution/flag.txt'], undefined],
])('the flag of a kCTF challenge is read from a flag file in the build folder if only one file matches: %j', (paths, flag) => {
  const files = Object.fromEntries(paths.map((path) => [`pwn/a/${path}`, 'flag{a}']))
  const [only] = importTree(createTextTree({ 'pwn/a/challenge.yaml': text, ...files }))
  expect(only?.challenge?.flags).toEqual(flag === undefined ? [] : [{ file: flag }])
})

it('authors, tags, points and files of the metadata of a kCTF challenge are imported', () => {
  const metadata = 'name: Reef\nauthor: kim\ncategory: pwn\nflag: flag{r}\ntags: [heap]\nvalue: 200\ndistribution: [reef.c]\n'
  const [only] = importTree(
    createTextTree({
      'pwn/a/challenge.yaml': text,
      'pwn/a/metadata.yaml': metadata,
      'pwn/a/dist/reef.c': '',
      'pwn/a/dist/x.c': '',
    }),
  )
  expect(only?.challenge).toMatchObject({
    ...{ title: 'Reef', authors: ['kim'], tags: ['heap'], score: { points: 200, minimumShare: 1 } },
    ...{ flags: [{ text: 'flag{r}' }], attachments: [{ file: 'dist/reef.c' }] },
  })
})
