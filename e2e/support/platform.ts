import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { World } from './world.ts'

/** Program of the platform: the bundle that `npm test` and `npm start` build, or the sources if only these tests run. */
const program = process.env.CAPSTAN_TEST_PLATFORM ?? path.join(import.meta.dirname, '..', '..', 'scripts', 'standalone.ts')
const startTimeoutMs = 300_000

export type PlatformOptions = Readonly<{
  isEmpty?: boolean
  /** Port of the site. By default, a free port. */
  port?: number
  env?: Readonly<Record<string, string>>
}>

/** Product that runs as with `npm start`, with a separate, initially empty data folder. */
export type Platform = Readonly<{
  world: World
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops the product and deletes its data folder. */
  remove(): Promise<void>
}>

/**
 * Resolves with the address that the process prints. Rejects with the output of the process if the process ends early or prints
 * no address in time.
 */
function waitForAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const fail = (why: string) => reject(new Error(`${why}:\n${output}`))
    const timer = setTimeout(() => fail(`The platform printed no address within ${startTimeoutMs / 1000} s`), startTimeoutMs)
    const read = (chunk: Buffer) => {
      output += chunk
      const address = /Open\s+(http:\/\/\S+)/.exec(output)?.[1]
      if (!address) return
      clearTimeout(timer)
      resolve(address.replace(/\/$/, ''))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('close', (code) => {
      clearTimeout(timer)
      fail(`The platform ended with code ${code}`)
    })
  })
}

/** Starts the product and waits until it serves requests. */
export async function startPlatform({ isEmpty = false, port = 0, env = {} }: PlatformOptions = {}): Promise<Platform> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-e2e-'))
  // Permit other users to enter the folder, because the embedded database may run as another user.
  await chmod(folder, 0o755)
  const adminPassword = `Aa1-${randomBytes(9).toString('base64url')}`
  const settings = { CAPSTAN_ADMIN_PASSWORD: adminPassword, CAPSTAN_RATE_LIMITS: 'off', ...env }
  const run = async (port: string) => {
    const args = [program, '--port', port, '--data', path.join(folder, 'data'), ...(isEmpty ? ['--empty'] : [])]
    const child = spawn(process.execPath, args, { env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] })
    return { child, baseUrl: await waitForAddress(child) }
  }
  let running: ChildProcess | undefined
  const first = await run(String(port))
  running = first.child
  const stop = async () => {
    const child = running
    running = undefined
    if (!child) return
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGINT')
    await ended
  }
  return {
    world: { baseUrl: first.baseUrl, adminName: 'Admin', adminPassword },
    stop,
    start: async () => {
      running ??= (await run(new URL(first.baseUrl).port)).child
    },
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
