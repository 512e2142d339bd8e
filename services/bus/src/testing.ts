import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createClient } from 'redis'

/** A Redis of its own for one test file: in memory, on a free port of the loopback address. */
export interface TestRedis {
  /** Without the password. */
  readonly url: string
  /** With the password, where there is one. */
  readonly ownUrl: string
  /** Ends the server at once, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same address, empty. */
  start(): Promise<void>
  /** The process stays, and answers nothing until `thaw`. */
  freeze(): void
  thaw(): void
  /** Asks for no password any more. */
  admitAll(): Promise<void>
  /** Ends it and removes its folder. */
  close(): Promise<void>
}

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
 * A port that the system gives to nobody who asks for any, and none of those of instances: while the server is away, no other test
 * gets its port, and nobody who looks for the server connects from it to itself.
 */
const aPort = (): number => randomInt(10_000, 15_000)

/**
 * Set where tests that need a Redis server cannot run: the reason, for the title of what is skipped.
 * Never set where `CI=true`: nothing may be skipped there, so that the missing binary fails the tests.
 */
export const redisMissing: string | undefined =
  findRedisServer() === undefined && process.env.CI !== 'true' ? 'no redis-server in PATH' : undefined

/** Starts `redis-server` from PATH and waits until it answers. Throws where there is none. */
export async function startTestRedis(options: { readonly password?: string } = {}): Promise<TestRedis> {
  const binary = findRedisServer()
  if (binary === undefined) throw new Error('There is no redis-server in PATH')
  const folder = mkdtempSync(join(tmpdir(), 'capstan-redis-'))
  let port = aPort()
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
      port = aPort()
    }
  }
  process.once('exit', () => child?.kill('SIGKILL'))
  const url = `redis://127.0.0.1:${port}`
  const ownUrl = options.password === undefined ? url : url.replace('//', `//:${options.password}@`)

  return {
    url,
    ownUrl,
    kill,
    start: () => start(binary),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async admitAll(): Promise<void> {
      const owner = await createClient({ url: ownUrl }).connect()
      await owner.configSet('requirepass', '')
      owner.destroy()
    },
    async close(): Promise<void> {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
