import { describe, expect, it } from 'vitest'
import { createTextTree } from '../testing/text-tree.ts'
import { importTree } from './import.ts'

const compose = 'services:\n  app:\n    build: ./src\n    ports: ["9000:9000"]\n'

function imported(files: Readonly<Record<string, string>>) {
  const tree = createTextTree({ 'pwn/oar/docker-compose.yml': compose, 'pwn/oar/src/Dockerfile': 'FROM x\n', ...files })
  const found = importTree(tree).find(({ file }) => file === 'pwn/oar/docker-compose.yml')
  const { flags, enabled } = found?.challenge ?? {}
  return { flags, enabled, whys: found?.findings.filter(({ field }) => field === 'flags').map(({ why }) => why) }
}

describe('the flag of a compose file without a descriptor', () => {
  it.each([
    ['in a build folder', { 'pwn/oar/src/FLAG': 'ctf{below}\n' }, 'src/FLAG'],
    ['two levels below', { 'pwn/oar/src/etc/flag.txt': 'ctf{below}' }, 'src/etc/flag.txt'],
    ['twice', { 'pwn/oar/checker/FLAG': 'ctf{below}', 'pwn/oar/src/FLAG': 'ctf{below}' }, 'src/FLAG'],
    ['next to it', { 'pwn/oar/flag.txt': 'any text', 'pwn/oar/src/FLAG': 'ctf{below}' }, 'flag.txt'],
    ['beside a placeholder', { 'pwn/oar/src/FLAG': 'ctf{below}', 'pwn/oar/x/FLAG': 'ctf{fake_flag}' }, 'src/FLAG'],
  ])('the flag is the first line of a flag file %s', (_, files, file) => {
    expect(imported(files)).toEqual({
      flags: [{ file }],
      enabled: true,
      whys: [`The flag is the first line of \`${file}\`.`],
    })
  })

  it.each([
    ['differ', { 'pwn/oar/src/FLAG': 'ctf{one}', 'pwn/oar/x/FLAG': 'ctf{other}' }],
    ['are for players', { 'pwn/oar/dist/flag.txt': 'ctf{below}' }],
    ['are three levels below', { 'pwn/oar/a/b/c/flag.txt': 'ctf{below}' }],
    ['are programs', { 'pwn/oar/src/flag': '#!/bin/sh\n' }],
    ['belong to another compose file', { 'pwn/oar/two/compose.yaml': compose, 'pwn/oar/two/flag.txt': 'ctf{two}' }],
  ])('the challenge gets no flag if the files with flags %s', (_, files) => {
    expect(imported(files)).toEqual({
      flags: [],
      enabled: false,
      whys: ['The file has no flag, so the challenge cannot be solved yet.'],
    })
  })
})

it.each(['dist', 'files', 'file'])(
  'a copy of a compose file is ignored if it is in the folder %s, which contains files for players',
  (folder) => {
    const tree = createTextTree({
      'pwn/oar/docker-compose.yml': compose,
      'pwn/oar/src/Dockerfile': 'FROM x\n',
      [`pwn/oar/${folder}/docker-compose.yml`]: compose,
    })
    expect(importTree(tree).map(({ file }) => file)).toEqual(['pwn/oar/docker-compose.yml'])
  },
)
