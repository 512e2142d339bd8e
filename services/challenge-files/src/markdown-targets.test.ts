import { expect, test } from 'vitest'
import { addressOfLocalFile, findLocalTarget, replaceMarkdownTargets } from './markdown-targets.ts'

function targets(markdown: string): [string, boolean][] {
  const found: [string, boolean][] = []
  replaceMarkdownTargets(markdown, (address, isImage) => void found.push([address, isImage]))
  return found
}

test.each<[string, [string, boolean][]]>([
  [
    '![a](x.png "t") and [b](y.pdf)',
    [
      ['x.png', true],
      ['y.pdf', false],
    ],
  ],
  [
    '[![a](x.png)](y.html)',
    [
      ['x.png', true],
      ['y.html', false],
    ],
  ],
  ['![a [b](c)', [['c', false]]],
  ['\\![a](x.png) \\[b](y)', [['x.png', true]]],
  ['a](b) ![](c)', [['c', true]]],
  ['![a](', []],
  [`${'['.repeat(3)}${']('.repeat(2)}x)`, [['](x', false]]],
])('the targets of links and images in %j are %j', (markdown, found) => {
  expect(targets(markdown)).toEqual(found)
})

test('replacing a link target in Markdown does not change the rest of the text', () => {
  expect(replaceMarkdownTargets('a ![x](1 "t") [y](2) z', (address) => (address === '1' ? 'one' : undefined))).toBe(
    'a ![x](one "t") [y](2) z',
  )
})

test.each([
  'plain.png',
  'a b.png',
  'a(1).png',
  'a%41.png',
  '50%.png',
  'a#b.png',
  "it's!.png",
  '旗?.png',
  'a&b;c.png',
  'a#as=b.png',
])('the address of the local file %j preserves its name on the platform', (name) => {
  const path = `images/${name}`
  const address = addressOfLocalFile({ path, as: 'of (the) platform.png' })
  expect(targets(`![x](${address})`)).toEqual([[address, true]])
  const find = (each: string) => (each === path ? each : undefined)
  expect(findLocalTarget(address, true, find)).toEqual({ path, as: 'of (the) platform.png' })
  expect(findLocalTarget(addressOfLocalFile({ path, as: undefined }), true, find)).toEqual({ path, as: undefined })
})

test('a link to a local file is recognized only below images/, and an absolute address is never a local file', () => {
  const find = (path: string) => path
  expect(findLocalTarget('solution/solve.py', false, find)).toBeUndefined()
  expect(findLocalTarget('images/manual.pdf', false, find)).toEqual({ path: 'images/manual.pdf', as: undefined })
  for (const address of ['/etc/passwd', 'https://example.org/a.png', '#top', 'C:/x.png'])
    expect(findLocalTarget(address, true, find)).toBeUndefined()
})
