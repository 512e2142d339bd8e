import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const programs = fileURLToPath(new URL('../services/sources/', import.meta.url))
const hook = './services/sources/without-types.mjs'
const stripper = 'NativeModule internal/deps/amaro/dist/index'

/** What it says, and whether the stripper was loaded: by this process and by its thread. */
const source = (said: string) => `
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
interface Said { readonly said: string; readonly strips: boolean; readonly line: string | undefined }
const said: Said = {
  said: '${said}',
  strips: process.moduleLoadList.includes('${stripper}'),
  line: new Error('here').stack?.split('\\n')[1]?.match(/main\\.ts:\\d+:\\d+/)?.[0],
}
if (isMainThread) new Worker(new URL(import.meta.url)).on('message', (other: Said) => console.log(JSON.stringify([said, other])))
else parentPort?.postMessage(said)
`

let root: string

const start = (): unknown =>
  JSON.parse(execFileSync(process.execPath, ['--import', hook, 'main.ts'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }))
const copies = () => path.join(root, 'node_modules/.cache/capstan-sources')
const both = (said: string, strips: boolean) => [
  { said, strips, line: 'main.ts:7:9' },
  { said, strips: false, line: 'main.ts:7:9' },
]

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'without-types-'))
  mkdirSync(path.join(root, 'services'))
  cpSync(programs, path.join(root, 'services/sources'), { recursive: true })
  writeFileSync(path.join(root, 'main.ts'), source('first'))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('sources without their types', () => {
  it('are made once, and then no process and no thread of it loads the stripper', () => {
    expect(start()).toEqual(both('first', true))
    expect(readdirSync(copies())).toEqual(['main.ts'])
    expect(start()).toEqual(both('first', false))
  })

  it('are made anew when the source has changed, in place of the old', () => {
    start()
    writeFileSync(path.join(root, 'main.ts'), source('second'))
    expect(start()).toEqual(both('second', true))
    expect(start()).toEqual(both('second', false))
    expect(readdirSync(copies())).toEqual(['main.ts'])
  })

  it('are made ahead for a file system that is read-only later', () => {
    execFileSync(process.execPath, ['services/sources/make-copies.mjs', 'services', '.'], { cwd: root, stdio: 'pipe' })
    chmodSync(copies(), 0o555)
    try {
      expect(start()).toEqual(both('first', false))
    } finally {
      chmodSync(copies(), 0o755)
    }
  })

  it('are done without where no copy can be kept', () => {
    writeFileSync(path.join(root, 'node_modules'), 'a file where the folder would be')
    expect(start()).toEqual([
      { said: 'first', strips: true, line: 'main.ts:7:9' },
      { said: 'first', strips: true, line: 'main.ts:7:9' },
    ])
    expect(readFileSync(path.join(root, 'node_modules'), 'utf8')).toBe('a file where the folder would be')
  })

  it('name the file where the text is wrong', () => {
    writeFileSync(path.join(root, 'main.ts'), 'const broken: = 1')
    expect(start).toThrow(/main\.ts/)
  })
})
