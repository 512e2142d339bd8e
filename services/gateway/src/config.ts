import { readFileSync } from 'node:fs'
import { readTracingConfig, type TracingConfig } from '@capstan/tracing/tracer'
import proxyAddr from '@fastify/proxy-addr'
import type { GatewayConfig } from './gateway.ts'
import type { TrustedProxies } from './http/client-address.ts'

/** Deployment configuration of a gateway that runs as a process of its own. */
export interface GatewayProcessConfig extends GatewayConfig {
  /** CAPSTAN_HOST: address to listen on. Default: all. */
  readonly host: string
  /** CAPSTAN_PORT. Default 8080. */
  readonly port: number
  /** CAPSTAN_API_URL: origin of the api inside the cluster, asked under `/internal`. */
  readonly apiUrl: string
  /** REDIS_URL: a gateway of its own hears the api through Redis. */
  readonly redisUrl: string
  /** CAPSTAN_LOG_LEVEL: trace, debug, info, warn, error, fatal or silent. Default info. */
  readonly logLevel: string
  /** OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG. Default: no traces. */
  readonly tracing?: TracingConfig | undefined
  /** CAPSTAN_SHUTDOWN_DELAY_MS: time after SIGTERM in which load balancers learn that we leave. Default 3000. */
  readonly shutdownDelayMs: number
  /** CAPSTAN_DRAIN_MS: longest time that proxied connections may still run after that. Default 20000. */
  readonly drainMs: number
}

/** Lists every fault at once. */
export class ConfigError extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
    this.faults = faults
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const internalTokenMinLength = 16

/**
 * Reads the environment once. Beside the variables named above: CAPSTAN_INTERNAL_TOKEN (shared with the api), CAPSTAN_TRUSTED_PROXIES
 * (`true`, `false`, or addresses and networks with commas between), CAPSTAN_PUBLIC_ORIGIN, CAPSTAN_HUB_WAITING_MAX_KB (default 256).
 * Each variable may instead be given as `<NAME>_FILE`, the path of a file that holds it.
 * @throws ConfigError
 */
export function readConfig(env: Environment): Readonly<GatewayProcessConfig> {
  const reader = createReader(env)
  const config: GatewayProcessConfig = {
    host: reader.text('CAPSTAN_HOST') ?? '::',
    port: reader.integer('CAPSTAN_PORT', 8080, 0, 65_535),
    apiUrl: reader.url('CAPSTAN_API_URL', ['http:', 'https:']) ?? '',
    redisUrl: reader.url('REDIS_URL', ['redis:', 'rediss:']) ?? '',
    internalToken: reader.secret('CAPSTAN_INTERNAL_TOKEN'),
    trustedProxies: reader.proxies('CAPSTAN_TRUSTED_PROXIES'),
    publicOrigin: reader.optionalOrigin('CAPSTAN_PUBLIC_ORIGIN'),
    hubWaitingMaxBytes: reader.integer('CAPSTAN_HUB_WAITING_MAX_KB', 256, 16, 65_536) * 1024,
    tracing: readTracingConfig(env, reader.faults),
    logLevel: reader.choice('CAPSTAN_LOG_LEVEL', logLevels, 'info'),
    shutdownDelayMs: reader.integer('CAPSTAN_SHUTDOWN_DELAY_MS', 3_000, 0, 600_000),
    drainMs: reader.integer('CAPSTAN_DRAIN_MS', 20_000, 0, 3_600_000),
  }
  if (reader.faults.length > 0) throw new ConfigError(reader.faults)
  return Object.freeze(config)
}

function createReader(env: Environment) {
  const faults: string[] = []

  function text(name: string): string | undefined {
    const value = env[name]
    if (value !== undefined && value !== '') return value
    const file = env[`${name}_FILE`]
    return file ? textOfFile(name, file) : undefined
  }

  function textOfFile(name: string, file: string): string | undefined {
    try {
      return readFileSync(file, 'utf8').trim() || undefined
    } catch {
      faults.push(`${name}_FILE names ${file}, which cannot be read`)
      return undefined
    }
  }

  function integer(name: string, byDefault: number, min: number, max: number): number {
    const given = text(name)
    if (given === undefined) return byDefault
    const value = Number(given)
    if (Number.isInteger(value) && value >= min && value <= max) return value
    faults.push(`${name} must be a whole number from ${min} to ${max}`)
    return byDefault
  }

  function choice(name: string, options: readonly string[], byDefault: string): string {
    const given = text(name)?.toLowerCase() ?? byDefault
    if (options.includes(given)) return given
    faults.push(`${name} must be one of ${options.join(', ')}`)
    return byDefault
  }

  /** A password may be part of the address, so a fault does not repeat it. */
  function url(name: string, protocols: readonly string[]): string | undefined {
    const given = text(name)
    const parsed = given === undefined ? undefined : URL.parse(given)
    if (given === undefined) faults.push(`${name} is missing`)
    else if (!parsed || !protocols.includes(parsed.protocol))
      faults.push(`${name} must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    else return given
    return undefined
  }

  function optionalOrigin(name: string): string | undefined {
    return text(name) === undefined ? undefined : url(name, ['http:', 'https:'])
  }

  function secret(name: string): string {
    const given = text(name)
    if (given === undefined) faults.push(`${name} is missing`)
    else if (given.length < internalTokenMinLength) faults.push(`${name} needs at least ${internalTokenMinLength} characters`)
    return given ?? ''
  }

  function proxies(name: string): TrustedProxies {
    const given = text(name)?.trim() ?? 'false'
    if (given === 'true' || given === 'false') return given === 'true'
    const entries = given
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
    try {
      proxyAddr.compile(entries)
    } catch {
      faults.push(`${name} must be true, false, or addresses and networks with commas between`)
    }
    return entries
  }

  return { faults, text, integer, choice, url, optionalOrigin, secret, proxies }
}
