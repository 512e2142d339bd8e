import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './commands/command.ts'
import { type Connection, connectToPlatform, type Platform } from './platform.ts'

type Environment = Readonly<Record<string, string | undefined>>

function settingsFolder({ XDG_CONFIG_HOME, APPDATA, HOME, USERPROFILE }: Environment): string {
  const base = XDG_CONFIG_HOME || APPDATA || (HOME || USERPROFILE ? join(HOME || USERPROFILE || '', '.config') : undefined)
  if (base === undefined) throw new Error('HOME is not set, so a login cannot be stored: set CAPSTAN_URL and CAPSTAN_TOKEN.')
  return join(base, 'capstan')
}

function loginFile(environment: Environment): string {
  return join(settingsFolder(environment), 'login.json')
}

/**
 * Stores a login for later commands in a file that only this user can read.
 * @returns the path of the file
 */
export function saveLogin(environment: Environment, connection: Connection): string {
  const folder = settingsFolder(environment)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = loginFile(environment)
  const draft = `${file}.new`
  writeFileSync(draft, `${JSON.stringify(connection)}\n`, { mode: 0o600 })
  // `writeFileSync` sets the mode only of new files, so also set the mode of an existing file.
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

/** Converts an address that the user entered into an origin. */
export function toPlatformOrigin(address: string): string {
  // Use http for a platform on the same machine, because it usually has no certificate.
  const scheme = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::|\/|$)/.test(address) ? 'http' : 'https'
  const text = address.includes('://') ? address : `${scheme}://${address}`
  if (!URL.canParse(text)) throw new Error(`${address} is not the address of a platform.`)
  const { protocol, origin, username, password } = new URL(text)
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw new Error('The address of a platform consists of https:// and a host name only.')
  return origin
}

function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Returns a warning if a token would be sent to the address unencrypted. */
export function warningForPlainHttp(url: string): string | undefined {
  const parsed = new URL(url)
  return parsed.protocol === 'http:' && !isLoopback(parsed)
    ? `${url} does not use https: anyone on the network path can read the token.`
    : undefined
}

/**
 * Returns the login for a command: `CAPSTAN_URL` and `CAPSTAN_TOKEN`, or otherwise the login that `capstan login` stored. A token
 * from the environment is never sent to the address of a stored login.
 */
export function findPlatformLogin({ environment = {} }: Context): Connection {
  const { CAPSTAN_URL, CAPSTAN_TOKEN } = environment
  if (CAPSTAN_TOKEN && CAPSTAN_URL) return { url: toPlatformOrigin(CAPSTAN_URL), token: CAPSTAN_TOKEN.trim() }
  if (CAPSTAN_TOKEN) throw new Error('CAPSTAN_TOKEN is set, but CAPSTAN_URL is not. Set both.')
  const { url, token } = readLogin(environment)
  if (url === undefined || token === undefined)
    throw new Error('You are not logged in: run `capstan login`, or set CAPSTAN_URL and CAPSTAN_TOKEN.')
  if (CAPSTAN_URL && toPlatformOrigin(CAPSTAN_URL) !== url)
    throw new Error(
      `CAPSTAN_URL is ${toPlatformOrigin(CAPSTAN_URL)}, but the stored login is for ${url}. Run \`capstan login\` again.`,
    )
  return { url, token }
}

export function findPlatformAddress({ environment = {} }: Context): string | undefined {
  return environment.CAPSTAN_URL ? toPlatformOrigin(environment.CAPSTAN_URL) : readLogin(environment).url
}

export function connectWithLogin(context: Context, connection: Connection): Platform {
  return connectToPlatform(connection, context.fetch ?? fetch)
}
