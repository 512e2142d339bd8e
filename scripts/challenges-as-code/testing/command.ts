import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
// The plugin adds members to the type of the Fastify app. This import makes the members known to TypeScript.
import type {} from '@capstan/api/server/tokens/plugin'
import type { TestApp } from '@capstan/api/testing/app'
import { aUser } from '@capstan/api/testing/factories'
import { runCommandLine } from '@capstan/cli/run'
import type { ApiTokenCreate } from '@capstan/contract/tokens'

const url = 'https://ctf.example.org'

/** Returns a `fetch` that sends requests to an app in this process, without a network. */
export function createAppFetch({ app }: Pick<TestApp, 'app'>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    const answer = await app.inject({
      method: request.method as 'GET',
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      payload: Buffer.from(await request.arrayBuffer()),
    })
    const hasBody = ![204, 304].includes(answer.statusCode)
    return new Response(hasBody ? new Uint8Array(answer.rawPayload) : null, {
      status: answer.statusCode,
      headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
    })
  }
}

/** Error of a call that a killed process made. The error replaces the response. */
class Killed extends Error {}

/**
 * Returns a `fetch` that simulates the kill of its process. The kill occurs during request number `writes`, before the response
 * arrives. GET requests do not count. A kill during a GET request has the same effect as a kill after the previous write.
 */
export function createFetchKilledAfterWrites(send: typeof fetch, writes: number): typeof fetch {
  let made = 0
  return async (input, init) => {
    if (made >= writes) throw new Killed('killed')
    const answer = await send(input, init)
    if (init?.method !== 'GET') made += 1
    if (made >= writes) throw new Killed('killed')
    return answer
  }
}

export async function aToken(context: TestApp, wanted: Partial<ApiTokenCreate> = {}): Promise<string> {
  const admin = await aUser(context.db, { role: 'Admin' })
  return (await context.app.tokens.create(admin, { name: 'ci', scope: 'WritePlatform', ...wanted })).token
}

export type Ran = Readonly<{
  code: number
  /** Printed lines of standard output and standard error. */
  text: string
}>

export type Shell = Readonly<{
  send: typeof fetch
  token: string
  environment?: Readonly<Record<string, string>>
}>

/** Runs a command of `capstan` without a terminal, like a CI job. */
export async function runCapstan({ send, token, environment }: Shell, ...args: string[]): Promise<Ran> {
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const code = await runCommandLine(args, {
    line: print,
    error: print,
    progress: print,
    fetch: send,
    now: () => Date.UTC(2026, 9, 1),
    environment: { PATH: process.env.PATH ?? '', CAPSTAN_URL: url, CAPSTAN_TOKEN: token, ...environment },
  })
  return { code, text: lines.join('\n') }
}

/** Creates a temporary folder that is deleted after the test. */
export function aFolder(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const root = mkdtempSync(path.join(tmpdir(), 'capstan-code-'))
  const put = (file: string, content: string | Uint8Array): void => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), content)
  }
  for (const [file, content] of Object.entries(files)) put(file, content)
  return {
    root,
    put,
    read: (file: string): string => readFileSync(path.join(root, file), 'utf8'),
    remove: (file: string): void => rmSync(path.join(root, file), { recursive: true }),
    list: (): string[] =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => statSync(path.join(root, file)).isFile())
        .sort(),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}
