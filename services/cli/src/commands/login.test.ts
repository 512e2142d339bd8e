import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../run.ts'
import type { Context } from './command.ts'

const token = 'eyJqdGkiOiJhIn0.c2lnbmF0dXJl'
let folder = ''
let lines: string[] = []
let asked: { url: string; authorization: string | null }[] = []

function answerWith(status: number, body: unknown): typeof fetch {
  return async (input, init) => {
    asked.push({ url: String(input), authorization: new Headers(init?.headers).get('authorization') })
    return new Response(JSON.stringify(body), { status })
  }
}
const grant = answerWith(200, { name: 'ci', scope: 'WriteChallenges', gameId: 7 })

async function capstan(args: readonly string[], context: Partial<Context> = {}): Promise<number> {
  lines = []
  asked = []
  const print = (line: string) => void lines.push(line)
  return runCommandLine(args, { line: print, error: print, fetch: grant, environment: { XDG_CONFIG_HOME: folder }, ...context })
}
function loginFile() {
  return join(folder, 'capstan/login.json')
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-login-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('logging in', () => {
  it('verifies the token, stores it in a file that only this user can read, and does not print it', async () => {
    expect(await capstan(['login', '--url', 'ctf.example.org/', '--token-stdin'], { readInput: async () => `${token}\n` })).toBe(
      0,
    )
    expect(asked).toEqual([{ url: 'https://ctf.example.org/api/edit/grant', authorization: `Bearer ${token}` }])
    expect(JSON.parse(readFileSync(loginFile(), 'utf8'))).toEqual({ url: 'https://ctf.example.org', token })
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600)
    expect(lines.join('\n')).toContain('"ci": WriteChallenges, game 7')
    expect(lines.join('\n')).not.toContain(token)
  })

  it('asks for missing values and hides the token', async () => {
    const questions: [string, boolean][] = []
    const ask = async (question: string, isSecret: boolean) => {
      questions.push([question, isSecret])
      return isSecret ? token : 'https://ctf.example.org'
    }
    expect(await capstan(['login'], { ask })).toBe(0)
    expect(questions.map(([, isSecret]) => isSecret)).toEqual([false, true])
  })

  it('stores nothing if the platform rejects the token', async () => {
    const refuse = answerWith(401, { title: 'This token was revoked', code: 'token.revoked' })
    expect(await capstan(['login', '--url', 'https://ctf.example.org', '--token', token], { fetch: refuse })).toBe(1)
    expect(lines.join('\n')).toContain('token.revoked')
    expect(lines.join('\n')).not.toContain(token)
    expect(() => statSync(loginFile())).toThrow('ENOENT')
  })

  it.each([
    [['login'], 2, 'Use --url to specify the platform'],
    [['login', '--url', 'https://ctf.example.org'], 2, 'Use --token-stdin to pass'],
    [['login', '--url', 'https://user:pass@ctf.example.org', '--token', token], 1, 'a host name only'],
    [['login', '--url', 'https://ctf.example.org', '--token', 'no token'], 1, 'not an API token'],
  ])('rejects the arguments %j', async (args, code, text) => {
    expect(await capstan(args)).toBe(code)
    expect(lines.join('\n')).toContain(text)
  })

  it('warns if the token is sent unencrypted', async () => {
    expect(await capstan(['login', '--url', 'http://ctf.example.org', '--token', token])).toBe(0)
    expect(lines[0]).toContain('does not use https')
    expect(await capstan(['login', '--url', 'http://127.0.0.1:8080', '--token', token])).toBe(0)
    expect(lines[0]).not.toContain('does not use https')
  })
})

describe('the command `capstan plan`', () => {
  const plan = (environment: Record<string, string>) => {
    writeFileSync(join(folder, 'capstan.yaml'), 'apiVersion: capstan/v1\nkind: Game\nname: a\ntitle: A\n')
    return capstan(['plan', folder], { environment: { XDG_CONFIG_HOME: folder, ...environment } })
  }

  it('sends no stored token to another address', async () => {
    await capstan(['login', '--url', 'https://ctf.example.org', '--token', token])
    expect(await plan({ CAPSTAN_URL: 'https://other.example.org' })).toBe(1)
    expect(asked).toEqual([])
    expect(await plan({ CAPSTAN_TOKEN: token })).toBe(1)
    expect(lines.join('\n')).toContain('CAPSTAN_URL is not')
    expect(asked).toEqual([])
  })

  it('requires a login, and the error explains how to log in', async () => {
    expect(await plan({})).toBe(1)
    expect(lines.join('\n')).toContain('capstan login')
  })
})

describe('starting a game', () => {
  it('writes a valid folder that refers to the schema of the platform', async () => {
    const root = join(folder, 'autumn cup')
    expect(await capstan(['init', '--url', 'https://ctf.example.org', root])).toBe(0)
    const text = readFileSync(join(root, 'capstan.yaml'), 'utf8')
    expect(text).toMatch(/^# yaml-language-server: \$schema=https:\/\/ctf\.example\.org\/api\/schemas\/v1\/capstan\.json\n/)
    expect(text).toContain('name: autumn-cup #')
    expect(await capstan(['validate', root])).toBe(0)
    expect(lines).toEqual(['2 files, 2 valid'])
    expect(await capstan(['init', root])).toBe(1)
    expect(lines.join('\n')).toContain('nothing was written')
  })

  it('writes the schema file if no platform is known', async () => {
    const root = join(folder, 'cup')
    expect(await capstan(['init', root])).toBe(0)
    expect(readFileSync(join(root, 'misc/welcome/capstan.yaml'), 'utf8')).toContain('$schema=../../capstan.schema.json\n')
    expect(JSON.parse(readFileSync(join(root, 'capstan.schema.json'), 'utf8')).title).toBe('capstan.yaml')
  })
})
