import type { Readiness } from '@capstan/contract/container-definition'
import type { Fields } from '../importers/fields.ts'
import { isPort } from '../importers/parts.ts'
import { shellWords } from '../jails/dockerfile.ts'

/** Ports of servers that have their own program for health checks. */
const serverPorts: readonly (readonly [RegExp, number])[] = [
  [/\b(?:mysqladmin|mariadb-admin|mysql|mariadb)\b/, 3306],
  [/\bhealthcheck\.sh\b/, 3306],
  [/\bpg_isready\b|\bpsql\b/, 5432],
  [/\b(?:redis|valkey)-cli\b/, 6379],
  [/\bmongo(?:sh)?\b/, 27_017],
  [/\brabbitmq(?:ctl|-diagnostics)\b/, 5672],
]

const ownHosts = new Set(['localhost', '127.0.0.1', '0.0.0.0', '[::1]', '[::]'])
const maxPathLength = 200
const portCheckers = new Set(['nc', 'ncat', 'netcat'])

/** Returns the address of the container itself that a word of a command asks by HTTP. */
function ownAddressIn(word: string): Readiness | undefined {
  const start = word.indexOf('http://')
  const [text = ''] = start < 0 ? [] : word.slice(start).split(/[);|]/, 1)
  const address = URL.parse(text)
  if (!address || !ownHosts.has(address.hostname)) return undefined
  const hasPath = text.indexOf('/', 'http://'.length) >= 0
  const path = address.pathname + address.search
  if (path.length > maxPathLength) return undefined
  return { port: Number(address.port || 80), ...(hasPath && { path }) }
}

/** Returns the port to which a command such as `nc -z localhost 80` connects. */
function checkedPort(words: readonly string[]): number | undefined {
  const program = words.findIndex((word) => portCheckers.has(word.slice(word.lastIndexOf('/') + 1)))
  if (program < 0) return undefined
  const host = words.findIndex((word, at) => at > program && ownHosts.has(word))
  return host < 0 ? undefined : Number(words[host + 1])
}

/** Returns the check that a command makes. @returns undefined if the platform cannot make it */
export function checkOf(command: string): Readiness | undefined {
  const address = command
    .split(/[\s"'`]+/)
    .map(ownAddressIn)
    .find((found) => found !== undefined)
  if (address !== undefined) return isPort(address.port) ? address : undefined
  const [, device] = /\/dev\/tcp\/(?:localhost|127\.0\.0\.1)\/(\d{1,5})\b/.exec(command) ?? []
  const named = checkedPort(command.split(/[\s"'`();|&]+/)) ?? Number(device)
  if (isPort(named)) return { port: named }
  const known = serverPorts.find(([program]) => program.test(command))?.[1]
  return known === undefined ? undefined : { port: known }
}

/** Reads the health check of a service as a check of its port. */
export function readHealth(service: Fields): Readiness | undefined {
  const health = service.fields('healthcheck')
  if (health === undefined) return undefined
  const isOff = health.boolean('disable') === true
  const written = health.take('test')
  const words = Array.isArray(written) ? written.map(String) : shellWords(String(written ?? ''))
  const command = words.join(' ')
  for (const key of ['interval', 'timeout', 'retries', 'start_period', 'start_interval']) health.take(key)
  health.rest()
  if (isOff || command === '' || command === 'NONE') return undefined
  const check = checkOf(command)
  if (check === undefined)
    service.note(
      'healthcheck',
      'left-out',
      'The command cannot run here, so the container is ready when its port accepts connections.',
      'Set `readiness` if the challenge needs another check.',
    )
  else service.note('healthcheck', 'converted', `The platform checks port ${check.port} instead of running the command.`)
  return check
}
