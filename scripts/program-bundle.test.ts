import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const bundler = path.join(import.meta.dirname, '../services/sources/bundle.mjs')
const program = `
import { Worker } from 'node:worker_threads'
import { note, part } from './lib/part.ts'
interface Result { readonly note: string; readonly isMain: boolean; readonly part: boolean }
const result: Result = { note, isMain: import.meta.main, part }
new Worker(new URL('./thread.ts', import.meta.url)).on('message', (thread: string) => console.log(JSON.stringify({ ...result, thread })))
`
const part = `
import { readFileSync } from 'node:fs'
import path from 'node:path'
export const part: boolean = import.meta.main
const read = (file: string | URL): string => readFileSync(file, 'utf8')
export const note: string = read(new URL('./note.txt', import.meta.url)) + read(path.join(import.meta.dirname, 'note.txt'))
`
const thread = `
import { parentPort } from 'node:worker_threads'
import { note } from './lib/part.ts'
parentPort?.postMessage('thread: ' + note as string)
`

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'capstan-program-'))
  mkdirSync(path.join(folder, 'lib'))
  writeFileSync(path.join(folder, 'main.ts'), program)
  writeFileSync(path.join(folder, 'thread.ts'), thread)
  writeFileSync(path.join(folder, 'lib', 'part.ts'), part)
  writeFileSync(path.join(folder, 'lib', 'note.txt'), 'note ')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}
const expected = { note: 'note note ', isMain: true, part: false, thread: 'thread: note note ' }

describe('the bundle of a program', () => {
  it('a bundled program runs its worker threads and finds its files even if its sources are deleted', () => {
    run(bundler, 'main.ts')
    run(bundler, '--to', 'elsewhere/deep', 'main.ts')
    for (const source of ['main.ts', 'thread.ts', 'lib/part.ts']) rmSync(path.join(folder, source))
    expect(JSON.parse(run('main.bundle.mjs'))).toEqual(expected)
    expect(JSON.parse(run('elsewhere/deep/main.bundle.mjs'))).toEqual(expected)
  })

  it('a program whose source has a syntax error cannot be bundled, and the error names the file', () => {
    writeFileSync(path.join(folder, 'main.ts'), 'const broken: = 1')
    expect(() => run(bundler, 'main.ts')).toThrow(/main\.ts/)
  })
})
