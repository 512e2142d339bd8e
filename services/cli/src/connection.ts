import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './commands/command.ts'
import { type Connection, connect, type Platform } from './platform.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where the user's settings of programs lie, by the customs of the system. */
function settingsFolder({ XDG_CONFIG_HOME, APPDATA, HOME, USERPROFILE }: Environment): string {
  const base = XDG_CONFIG_HOME || APPDATA || (HOME || USERPROFILE ? join(HOME || USERPROFILE || '', '.config') : undefined)
  if (base === undefined) throw new Error('There is no HOME to keep a login in: set CAPSTAN_URL and CAPSTAN_TOKEN.')
  return join(base, 'capstan')
}

function loginFile(environment: Environment): string {
  return join(settingsFolder(environment), 'login.json')
}

/** Keeps a login for the commands that follow. Nobody else on this machine can read it. @returns where */
export function keepConnection(environment: Environment, connection: Connection): string {
  const folder = settingsFolder(environment)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = loginFile(environment)
  const draft = `${file}.new`
  writeFileSync(draft, `${JSON.stringify(connection)}\n`, { mode: 0o600 })
  // The mode above counts for new files alone.
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  return file
}

function readLogin(environment: Environment): Partial<Connection> {
  const file = loginFile(environment)
  if (!existsSync(file)) return {}
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof read === 'object' && read !== null ? read : {}
  } catch (cause) {
    throw new Error(`${file} cannot be read: run \`capstan login\` again.`, { cause })
  }
}

/** An address as people type it, as an origin. */
export function originOf(address: string): string {
  const text = address.includes('://') ? address : `https://${address}`
  if (!URL.canParse(text)) throw new Error(`${address} is no address of a platform.`)
  const { protocol, origin, username, password } = new URL(text)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw new Error('The address of a platform is https://, a name and nothing else.')
  return origin
}

function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** What to say of an address that a token crosses the network to unprotected. */
export function warnOfPlainHttp(url: string): string | undefined {
  const parsed = new URL(url)
  return parsed.protocol === 'http:' && !isLoopback(parsed)
    ? `${url} is not https: whoever is on the way can read the token.`
    : undefined
}

/**
 * The login of a command: `CAPSTAN_URL` and `CAPSTAN_TOKEN`, else what `capstan login` kept. A token from the environment never goes to
 * an address that another login kept.
 */
export function findConnection({ environment = {} }: Context): Connection {
  const { CAPSTAN_URL, CAPSTAN_TOKEN } = environment
  if (CAPSTAN_TOKEN && CAPSTAN_URL) return { url: originOf(CAPSTAN_URL), token: CAPSTAN_TOKEN.trim() }
  if (CAPSTAN_TOKEN) throw new Error('CAPSTAN_TOKEN is set and CAPSTAN_URL is not: which platform is it for?')
  const { url, token } = readLogin(environment)
  if (url === undefined || token === undefined)
    throw new Error('Nobody is logged in: run `capstan login`, or set CAPSTAN_URL and CAPSTAN_TOKEN.')
  if (CAPSTAN_URL && originOf(CAPSTAN_URL) !== url)
    throw new Error(`CAPSTAN_URL is ${originOf(CAPSTAN_URL)}, and the login is for ${url}: run \`capstan login\` for it.`)
  return { url, token }
}

/** The address of the last login, where there is one. */
export function knownAddress({ environment = {} }: Context): string | undefined {
  return environment.CAPSTAN_URL ? originOf(environment.CAPSTAN_URL) : readLogin(environment).url
}

export function connectAs(context: Context, connection: Connection): Platform {
  return connect(connection, context.fetch ?? fetch)
}
