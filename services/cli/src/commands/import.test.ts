import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCommandLine } from '../run.ts'

let folder = ''
let lines: string[] = []

function put(path: string, content: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), content)
}

function runImport(...args: string[]) {
  lines = []
  const print = (line: string) => void lines.push(line)
  return runCommandLine(['import', ...args, folder], { line: print, error: print, environment: {} })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-import-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('a challenge that cannot be written because of a link is refused, and the other challenges are written', async () => {
  const descriptor = 'name: A\ncategory: pwn\nvalue: 1\ntype: standard\nflags: [f]\n'
  put('shared/Dockerfile', 'FROM pwn.red/jail\nCOPY --from=ubuntu / /srv\nCOPY run /srv/app/run\n')
  put('pwn/a/challenge.yml', descriptor)
  symlinkSync('../../shared', join(folder, 'pwn/a/src'))
  put('pwn/b/challenge.yml', descriptor.replace('A', 'B'))
  expect(await runImport()).toBe(1)
  expect(lines).toContain('ctfcli: 2 challenges, 1 imported (0 with fields left out), 1 refused')
  expect(lines.join('\n')).toMatch(/pwn\/a\/challenge\.yml:1: refused: .* is a link, so no file was written there\./)
  expect(['a', 'b'].map((name) => existsSync(join(folder, `pwn/${name}/capstan.yaml`)))).toEqual([false, true])
})
