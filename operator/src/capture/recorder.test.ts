import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)
const cwd = path.join(import.meta.dirname, '..', '..', 'capture')

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0
}

/** Returns what the tests need but this machine lacks. They record the traffic of a new network. */
function findMissing(): string | undefined {
  if (!succeeds('go', 'version')) return 'Go'
  const options = process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net']
  return succeeds('unshare', ...options, 'true') ? undefined : 'permission to create a network namespace'
}

const missing = findMissing()

describe.skipIf(missing)(`the program of the recorder${missing ? ` (needs ${missing})` : ''}`, () => {
  it('passes its tests, which are written in Go', async () => {
    const env = { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' }
    const { stdout } = await run('go', ['test', '-count=1', '.'], { cwd, env })
    expect(stdout).toMatch(/^ok\s/)
  })

  it('has formatted sources', async () => {
    expect((await run('gofmt', ['-l', '.'], { cwd })).stdout).toBe('')
  })
})
