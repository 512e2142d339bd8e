import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../run.ts'

let folder = ''
let lines: string[] = []
function lint(...args: string[]) {
  lines = []
  return runCommandLine(['lint', ...args, folder], {
    line: (text) => lines.push(text),
    error: (text) => lines.push(text),
    environment: { FLAG: 'ctf{environment}' },
  })
}
function put(path: string, content: string | Uint8Array) {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), content)
}
function putChallenge(name: string, more: string, flags = '[{ text: "ctf{hidden}" }]') {
  const head = `apiVersion: capstan/v1\nkind: Challenge\nname: ${name}\ntitle: ${name}\ncategory: Web\ndescription: Look.\n`
  put(`${name}/capstan.yaml`, `${head}flags: ${flags}\n${more}\n`)
}
function attached(file: string) {
  return `attachments: [{ file: ${file} }]`
}
const remove = 'Remove the flag from the file. If the file was published, also change the flag.'

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-lint-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a file for players', () => {
  it('reports the file and the line if a file for players contains a flag', () => {
    putChallenge('a', attached('server.py'))
    put('a/server.py', 'import os\n\nFLAG = "ctf{hidden}"\n')
    expect(lint()).toBe(1)
    expect(lines).toEqual([`a/server.py:3: Players get this file, which contains a flag. ${remove}`, '1 challenges, 1 findings'])
  })

  it('reports an archive for players if one of its files contains a flag', () => {
    putChallenge('a', attached('dist.zip'))
    const files = { 'src/main.c': 'int main;\n', 'src/flag.h': '\n#define FLAG "ctf{hidden}"\n' }
    put('a/dist.zip', zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))))
    expect(lint()).toBe(1)
    expect(lines[0]).toBe(
      `a/dist.zip:1: Players get this archive, in which the file \`src/flag.h\` contains a flag in line 2. ${remove}`,
    )
    expect(lines).toHaveLength(2)
  })

  it('reports a flag in an attached folder, but not in files outside the folder', () => {
    putChallenge('a', attached('dist'))
    put('a/dist/deep/notes.txt', 'ctf{hidden}')
    put('a/solve.py', 'ctf{hidden}')
    expect(lint()).toBe(1)
    expect(lines.slice(0, -1)).toEqual([expect.stringMatching(/^a\/dist\/deep\/notes\.txt:1: /)])
  })

  it.each([
    ['it contains a case-insensitive flag with other letter case', '[{ text: "ctf{hidden}", ignoreCase: true }]', 'CTF{Hidden}'],
    ['it contains a flag that comes from the environment', '[{ environment: FLAG }]', 'ctf{environment}'],
  ])('reports a file for players if %s', (_, flags, text) => {
    putChallenge('a', attached('notes.txt'), flags)
    put('a/notes.txt', text)
    expect(lint()).toBe(1)
  })

  it.each([
    ['it contains a case-sensitive flag with other letter case', '[{ text: "ctf{hidden}" }]', 'CTF{Hidden}'],
    ['the variable that contains the flag is not set', '[{ environment: OTHER }]', 'value'],
    ['it contains a flag with few characters', '[{ text: abc }]', 'abcdef'],
    ['it contains a match of a flag that is a pattern', '[{ pattern: hidden }]', 'hidden'],
  ])('accepts a file for players if %s', (_, flags, text) => {
    putChallenge('a', attached('notes.txt'), flags)
    put('a/notes.txt', text)
    expect(lint()).toBe(0)
  })

  it('accepts a file that belongs to a flag and contains no other flag', () => {
    putChallenge('a', '', '[{ text: "ctf{first_flag}", attachment: { file: 1.txt } }]')
    put('a/1.txt', 'ctf{first_flag}')
    expect(lint()).toBe(0)
  })

  it('reports a flag even if it is split between two chunks that are read one after the other', () => {
    putChallenge('a', attached('large.bin'))
    const content = Buffer.alloc(3 * 1024 * 1024)
    content.write('\n', 5)
    content.write('ctf{hidden}', 2 * 1024 * 1024 - 6)
    put('a/large.bin', content)
    expect(lint()).toBe(1)
    expect(lines[0]).toMatch(/^a\/large\.bin:2: /)
  })

  it('accepts a damaged archive', () => {
    putChallenge('a', attached('dist.zip'))
    put('a/dist.zip', 'PK nothing')
    expect(lint()).toBe(0)
  })
})

describe('a Dockerfile', () => {
  const container = (more = '') => `container: { build: { context: . }, ports: [{ port: 5000 }]${more} }`
  const root = 'The image runs as root. Add `USER` with another user, or set `user` of the container.'
  const closed = 'The image does not expose port 5000 of the container. Add `EXPOSE 5000`.'
  const reports = (dockerfile: string, more?: string) => {
    putChallenge('a', container(more))
    put('a/Dockerfile', dockerfile)
    const code = lint()
    expect(code).toBe(lines.length > 1 ? 1 : 0)
    return lines.slice(0, -1)
  }

  it('reports a Dockerfile that exposes no port and sets no user', () => {
    expect(reports('# An image\nFROM alpine\nCMD ["serve"]\n')).toEqual([`a/Dockerfile:2: ${closed}`, `a/Dockerfile:2: ${root}`])
  })

  it.each([
    ['it exposes the port and sets a user', 'FROM alpine\nEXPOSE 80 5000/tcp\nUSER 1000\n', undefined],
    ['the port is a variable', 'FROM alpine\nARG PORT=5000\nEXPOSE $PORT\nUSER app\n', undefined],
    [
      'an earlier stage exposes the port and sets a user',
      'FROM alpine AS base\nEXPOSE 5000\nUSER app\nFROM base\nCMD ["x"]\n',
      undefined,
    ],
    ['the container sets the user', 'FROM alpine\nEXPOSE 5000\n', ', user: 1000'],
    ['its base image sets a user', 'FROM gcr.io/distroless/base:nonroot\nEXPOSE 5000\n', undefined],
  ])('accepts a Dockerfile if %s', (_, dockerfile, more) => {
    expect(reports(dockerfile, more)).toEqual([])
  })

  it('reports the last USER instruction of a Dockerfile if that user is root', () => {
    expect(reports('FROM alpine\nUSER app\nEXPOSE 5000\nUSER root\n')).toEqual([`a/Dockerfile:4: ${root}`])
  })

  it('reports the EXPOSE instruction of a Dockerfile if the container has other ports', () => {
    expect(reports('FROM alpine\nUSER app\nEXPOSE 80\n')).toEqual([`a/Dockerfile:3: ${closed}`])
  })

  it('ignores the stages of a Dockerfile that the image does not include', () => {
    expect(reports('FROM golang AS build\nEXPOSE 5000\nUSER app\nFROM alpine\nCOPY --from=build /x /x\n')).toEqual([
      `a/Dockerfile:4: ${closed}`,
      `a/Dockerfile:4: ${root}`,
    ])
  })

  it('checks a Dockerfile only up to the stage that the container uses', () => {
    putChallenge('a', 'container: { build: { context: src, dockerfile: run.docker, target: run }, ports: [{ port: 5000 }] }')
    put('a/src/run.docker', 'FROM alpine AS run\nEXPOSE 5000\nUSER app\nFROM run AS debug\nUSER root\n')
    expect(lint()).toBe(0)
  })
})

it('capstan lint checks only the chosen challenges, and prints its findings as JSON with --json', () => {
  for (const name of ['first', 'second']) {
    putChallenge(name, attached('x.txt'))
    put(`${name}/x.txt`, 'ctf{hidden}')
  }
  expect(lint('--only', 'sec*', '--json')).toBe(1)
  expect(JSON.parse(lines.join('\n'))).toEqual({
    challenges: 1,
    refusals: [],
    findings: [{ file: 'second/x.txt', line: 1, why: 'Players get this file, which contains a flag.', advice: remove }],
  })
})

it('capstan lint refuses challenges whose files have faults, and checks all other challenges', () => {
  putChallenge('a', '', '[{ text: 1 }]')
  putChallenge('b', attached('x.txt'))
  put('b/x.txt', 'nothing')
  expect(lint()).toBe(1)
  expect(lines).toEqual([expect.stringMatching(/^a\/capstan\.yaml:7: refused: flags/), '1 challenges, 0 findings'])
})
