import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createClient } from 'redis'

/** Redis server of one test file. Its data is in memory, and it listens on a free port of the loopback address. */
export type TestRedis = Readonly<{
  /** Redis URL without the password. */
  url: string
  /** Redis URL with the password, if the server has one. */
  urlWithPassword: string
  /** Kills the server, as a crash would. */
  kill(): Promise<void>
  /** Starts the server again on the same address, without data. */
  start(): Promise<void>
  /** Pauses the process of the server, so that the server sends no response until `thaw` is called. */
  freeze(): void
  thaw(): void
  removePassword(): Promise<void>
  /** Kills the server and deletes its folder. */
  close(): Promise<void>
}>

function findRedisServer(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'redis-server')).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const portsTried = 20

/**
 * Returns a port outside the ephemeral range and outside the ports of instances. The system never assigns such a port to another
 * socket, so the server can use it again after a restart.
 */
function randomPort(): number {
  return randomInt(10_000, 15_000)
}

/**
 * Reason for skipping tests that need `redis-server`. The titles of these tests contain the reason. Undefined if the binary exists.
 * Also undefined if `CI=true`, so that a missing binary fails the tests in CI.
 */
export const redisMissing: string | undefined =
  findRedisServer() === undefined && process.env.CI !== 'true' ? 'no redis-server in PATH' : undefined

/**
 * Starts `redis-server` from PATH and waits until it is ready.
 * @throws if there is no such binary
 */
export async function startTestRedis(options: { readonly password?: string } = {}): Promise<TestRedis> {
  const binary = findRedisServer()
  if (binary === undefined) throw new Error('There is no redis-server in PATH')
  const folder = mkdtempSync(join(tmpdir(), 'capstan-redis-'))
  let port = randomPort()
  let child: ChildProcess | undefined

  async function start(path: string): Promise<void> {
    const started = spawn(path, [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
      ...(options.password === undefined ? [] : ['--requirepass', options.password]),
    ])
    child = started
    await new Promise<void>((resolve, reject) => {
      let output = ''
      started.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        if (output.includes('Ready to accept connections')) resolve()
      })
      started.once('error', reject)
      started.once('close', (code) => reject(new Error(`redis-server ended with code ${code}: ${output}`)))
    })
  }

  async function kill(): Promise<void> {
    const running = child
    child = undefined
    if (running === undefined || running.exitCode !== null) return
    const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
    running.kill('SIGKILL')
    await ended
  }

  for (let attempt = 1; ; attempt += 1) {
    try {
      await start(binary)
      break
    } catch (error) {
      if (attempt === portsTried || !String(error).includes('Address already in use')) throw error
      port = randomPort()
    }
  }
  process.once('exit', () => child?.kill('SIGKILL'))
  const url = `redis://127.0.0.1:${port}`
  const urlWithPassword = options.password === undefined ? url : url.replace('//', `//:${options.password}@`)

  return {
    url,
    urlWithPassword,
    kill,
    start: () => start(binary),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async removePassword(): Promise<void> {
      const owner = await createClient({ url: urlWithPassword }).connect()
      await owner.configSet('requirepass', '')
      owner.destroy()
    },
    async close(): Promise<void> {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
