import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inheritedEnvironment, requiredEnvironment } from '../environment.ts'
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

/** Runs an api process that can be killed and restarted. The database and the instance host remain. */
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
        ...inheritedEnvironment,
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

  /** Sends SIGKILL. Resolves when the process has exited. */
  const kill = (): Promise<void> =>
    new Promise((resolve) => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
    })

  return {
    /** Lists ids of the running instances, including those that the api does not know. */
    listInstanceIds: (): string[] => [...host.objects.keys()].sort(),
    start,
    kill,
    /** Lists the open files of the process with their Linux names, including deleted files. @throws on other systems */
    listOpenFiles: (): string[] => {
      const folder = `/proc/${child?.pid}/fd`
      return readdirSync(folder).flatMap((file) => {
        try {
          return readlinkSync(`${folder}/${file}`)
        } catch {
          // The file was closed after the folder was listed.
          return []
        }
      })
    },
    /**
     * Sends a call to the current process, or to the next process if no process runs.
     * @throws if the connection breaks before the response
     */
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
