import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { requiredEnvironment } from '../environment.ts'
import { createInstanceHost } from './host.ts'

const entry = fileURLToPath(new URL('./api-process.ts', import.meta.url))

function nextOrigin(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let errors = ''
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    child.once('close', (code) => reject(new Error(`The api ended with ${code} before it listened: ${errors}`)))
    child.on('message', (message: { kind: string; origin?: string }) => {
      if (message.kind === 'listening' && message.origin) resolve(message.origin)
    })
  })
}

/** An api process on a database that stays, with a host of instances that stays; the process can be killed and started again. */
export function createCrashingPlatform(
  databaseUrl: string,
  whenReady?: () => Promise<unknown>,
  environment: Readonly<Record<string, string>> = {},
) {
  const host = createInstanceHost(whenReady)
  let child: ChildProcess | undefined
  let origin: Promise<string> | undefined

  const start = (): Promise<string> => {
    child = fork(entry, {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        ...requiredEnvironment,
        DATABASE_URL: databaseUrl,
        CAPSTAN_RATE_LIMITS: 'off',
        CAPSTAN_INSTANCE_REPAIR_INTERVAL_MS: '500',
        CAPSTAN_DATABASE_CONNECTIONS: '10',
        ...environment,
      },
    })
    host.serve(child)
    origin = nextOrigin(child)
    return origin
  }

  /** kill -9. Resolves when the process is gone. */
  const kill = (): Promise<void> =>
    new Promise((resolve) => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
    })

  return {
    /** Ids of what runs, whatever the api knows of it. */
    listInstanceIds: (): string[] => [...host.objects.keys()].sort(),
    start,
    kill,
    /** Returns the files that the process has open, deleted ones too, as Linux names them. @throws on other systems */
    listOpenFiles: (): string[] => {
      const folder = `/proc/${child?.pid}/fd`
      return readdirSync(folder).flatMap((file) => {
        try {
          return readlinkSync(`${folder}/${file}`)
        } catch {
          // Closed since the folder was read.
          return []
        }
      })
    },
    /** A call to the process that runs now or comes next. @throws when the connection breaks before the answer */
    async call(path: string, cookie: string, body?: unknown): Promise<{ status: number; text: string }> {
      const response = await fetch(`${await origin}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    },
  }
}

export type CrashingPlatform = ReturnType<typeof createCrashingPlatform>
