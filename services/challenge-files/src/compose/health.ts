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

/** Returns the check that a command makes. @returns undefined if the platform cannot make it */
function checkOf(command: string): Readiness | undefined {
  const address =
    /\bhttp:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::(\d{1,5}))?(\/[!-"$-&(-~]{0,200})?(?=["'\s]|$)/.exec(command)
  if (address !== null) {
    const port = Number(address[1] ?? 80)
    const path = address[2]
    return isPort(port) ? { port, ...(path !== undefined && { path: path.replace(/[)'";|]+.*$/, '') }) } : undefined
  }
  const [, open] = /\b(?:nc|ncat|netcat)\b.{0,80}\s(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\s+(\d{1,5})\b/.exec(command) ?? []
  const [, device] = /\/dev\/tcp\/(?:localhost|127\.0\.0\.1)\/(\d{1,5})\b/.exec(command) ?? []
  const named = Number(open ?? device)
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
