import type { Readiness } from '@capstan/contract/container-definition'
import { ContainerLimits, InputLimits } from '@capstan/contract/limits'
import type { Fields } from '../importers/fields.ts'
import { isPort } from '../importers/parts.ts'
import { toText } from '../record.ts'

const ownHosts = new Set(['localhost', '127.0.0.1', '0.0.0.0', '[::1]', '[::]'])
const maxPathLength = 200
const portCheckers = new Set(['nc', 'ncat', 'netcat'])

/**
 * Searches a word for an HTTP address of the container itself, such as `http://localhost:8080/ready`. Returns the readiness check
 * for this address.
 * @returns undefined if the word contains no such address
 */
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

/**
 * Returns the readiness check for the port or path that a health command checks.
 * @returns undefined if the command checks something else
 */
export function readinessCheckOfCommand(command: string): Readiness | undefined {
  const address = command
    .split(/[\s"'`]+/)
    .map(ownAddressIn)
    .find((found) => found !== undefined)
  if (address !== undefined) return isPort(address.port) ? address : undefined
  const [, device] = /\/dev\/tcp\/(?:localhost|127\.0\.0\.1)\/(\d{1,5})\b/.exec(command) ?? []
  const named = checkedPort(command.split(/[\s"'`();|&]+/)) ?? Number(device)
  return isPort(named) ? { port: named } : undefined
}

/**
 * Returns the command of a health check as words. A shell runs a command that is written as one text.
 * @returns undefined if the check is disabled
 */
export function commandOfHealthCheck(written: unknown): string[] | undefined {
  const [kind = '', ...words] = Array.isArray(written) ? written.map(toText) : ['CMD-SHELL', toText(written ?? '')]
  if (words.join('').trim() === '' || (kind !== 'CMD' && kind !== 'CMD-SHELL')) return undefined
  return kind === 'CMD' ? words : ['/bin/sh', '-c', words.join(' ')]
}

function isFitting(words: readonly string[]): boolean {
  return words.length <= ContainerLimits.maxArguments && words.every((word) => word.length <= InputLimits.maxShortTextLength)
}

/** Reads the health check of a service. A command that only checks a port or a path is converted into a check by the platform. */
export function readHealthCheck(service: Fields): Readiness | undefined {
  const health = service.fields('healthcheck')
  if (health === undefined) return undefined
  const isOff = health.boolean('disable') === true
  const command = commandOfHealthCheck(health.take('test'))
  const oneASecond = 'The check runs once per second.'
  const times = ['interval', 'timeout', 'retries', 'start_period', 'start_interval']
  health.leaveOut(Object.fromEntries(times.map((key) => [key, oneASecond])))
  health.rest()
  if (isOff || command === undefined) return undefined
  const check = readinessCheckOfCommand(command.join(' '))
  if (check !== undefined) {
    service.note('healthcheck', 'converted', `The platform checks port ${check.port} instead of running the command.`)
    return check
  }
  if (isFitting(command)) return { command }
  service.note(
    'healthcheck',
    'left-out',
    'The command is too long, so the container is ready when its port accepts connections.',
    'Move the command into a script of the image.',
  )
  return undefined
}
