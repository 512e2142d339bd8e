import { expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

function only(file: string, text: string) {
  const [read] = importTree(createTextTree({ [file]: text }))
  return read
}

it('YAML scalars are imported as the texts that the file contains', () => {
  const text = `name: Y
author: n
category: misc
description: 00
value: 1e2
type: standard
tags: [6e617468, 0o17, 2024-05-01, .5]
hints: [0x10, {content: 1_000}]
flags: [98765432109876543210, 0777, 2.50, off, {type: static, content: 5e9}]
`
  expect(only('misc/a/challenge.yml', text)?.challenge).toMatchObject({
    title: 'Y',
    authors: ['n'],
    description: '00',
    score: { points: 100 },
    tags: ['6e617468', '0o17', '2024-05-01', '.5'],
    hints: [{ text: '0x10' }, { text: '1_000' }],
    flags: [{ text: '98765432109876543210' }, { text: '0777' }, { text: '2.50' }, { text: 'off' }, { text: '5e9' }],
  })
})

it('the text of a YAML scalar is also found through aliases and merged mappings', () => {
  const text = `name: a
flag: &number 0123
base: &base { MODE: 1.10, FAST: yes }
containers:
  main: { image: example/a, ports: [80], environment: { <<: *base, CODE: *number } }
expose: { main: [{ target: 80, tcp: 1 }] }
`
  expect(only('misc/a/challenge.yaml', text)?.challenge).toMatchObject({
    flags: [{ text: '0123' }],
    container: { environment: { MODE: '1.10', FAST: 'yes', CODE: '0123' } },
  })
})

it('the value of a field with the type boolean or number is imported with this type', () => {
  const text = 'name: a\nflag: b\nvisible: no\nvalue: 0x64\n'
  expect(only('misc/a/challenge.yaml', text)?.challenge).toMatchObject({ enabled: false, score: { points: 100 } })
})
