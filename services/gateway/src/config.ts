import { readFileSync } from 'node:fs'
import { GatewayLimits } from '@capstan/contract/limits'
import { readTrustedProxies, trustedProxiesFault } from '@capstan/http/client'
import { readTracingConfig, type TracingConfig } from '@capstan/tracing/tracer'
import type { GatewayConfig } from './gateway.ts'
import type { GatewayLimitSettings } from './limits/settings.ts'

/** Deployment configuration of a gateway that runs as a process of its own. */
export interface GatewayProcessConfig extends GatewayConfig {
  /** CAPSTAN_HOST: address to listen on. Default: all. */
  readonly host: string
  /** CAPSTAN_PORT. Default 8080. */
  readonly port: number
  /** CAPSTAN_MANAGEMENT_PORT: of `/livez`, `/readyz` and `/metrics`. Default: they are not served. */
  readonly managementPort: number | undefined
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
const limitMax = 1_000_000

/** Each a whole number from 1 on; defaults are in `GatewayLimits`. */
const limitVariables = {
  hubSockets: 'CAPSTAN_HUB_SOCKETS_MAX',
  hubSocketsPerAddress: 'CAPSTAN_HUB_SOCKETS_PER_ADDRESS',
  hubSocketsPerUser: 'CAPSTAN_HUB_SOCKETS_PER_USER',
  hubAttemptsPerAddressMinute: 'CAPSTAN_HUB_ATTEMPTS_PER_ADDRESS_MINUTE',
  proxyConnections: 'CAPSTAN_PROXY_CONNECTIONS_MAX',
  proxyAttemptsPerInstanceMinute: 'CAPSTAN_PROXY_ATTEMPTS_PER_INSTANCE_MINUTE',
  proxyAttemptsPerAddressMinute: 'CAPSTAN_PROXY_ATTEMPTS_PER_ADDRESS_MINUTE',
} as const satisfies Partial<Record<keyof GatewayLimitSettings, string>>

/**
 * Reads the environment once. Beside the variables named above: CAPSTAN_INTERNAL_TOKEN (shared with the api), CAPSTAN_TRUSTED_PROXIES
 * (`true`, `false`, or addresses and networks with commas between), CAPSTAN_PUBLIC_ORIGIN, CAPSTAN_HUB_WAITING_MAX_KB (default 256),
 * those of `limitVariables`, and CAPSTAN_RATE_LIMITS (`off` for load tests: no limits per client).
 * Each variable may instead be given as `<NAME>_FILE`, the path of a file that holds it.
 * @throws ConfigError
 */
export function readConfig(env: Environment): Readonly<GatewayProcessConfig> {
  const reader = createReader(env)
  const trustedProxies = readTrustedProxies(reader.text('CAPSTAN_TRUSTED_PROXIES'))
  if (trustedProxies === undefined) reader.faults.push(trustedProxiesFault)
  const config: GatewayProcessConfig = {
    host: reader.text('CAPSTAN_HOST') ?? '::',
    port: reader.integer('CAPSTAN_PORT', 8080, 0, 65_535),
    managementPort: reader.optionalPort('CAPSTAN_MANAGEMENT_PORT'),
    apiUrl: reader.url('CAPSTAN_API_URL', ['http:', 'https:']) ?? '',
    redisUrl: reader.url('REDIS_URL', ['redis:', 'rediss:']) ?? '',
    internalToken: reader.secret('CAPSTAN_INTERNAL_TOKEN'),
    trustedProxies: trustedProxies ?? false,
    publicOrigin: reader.optionalOrigin('CAPSTAN_PUBLIC_ORIGIN'),
    hubWaitingMaxBytes: reader.integer('CAPSTAN_HUB_WAITING_MAX_KB', 256, 16, 65_536) * 1024,
    limits: readLimits(reader),
    tracing: readTracingConfig(env, reader.faults),
    logLevel: reader.choice('CAPSTAN_LOG_LEVEL', logLevels, 'info'),
    shutdownDelayMs: reader.integer('CAPSTAN_SHUTDOWN_DELAY_MS', 3_000, 0, 600_000),
    drainMs: reader.integer('CAPSTAN_DRAIN_MS', 20_000, 0, 86_400_000),
  }
  if (reader.faults.length > 0) throw new ConfigError(reader.faults)
  return Object.freeze(config)
}

/** What clients may use, for a gateway in the process of others. @throws ConfigError */
export function readGatewayLimits(env: Environment): GatewayLimitSettings {
  const reader = createReader(env)
  const limits = readLimits(reader)
  if (reader.faults.length > 0) throw new ConfigError(reader.faults)
  return limits
}

function readLimits(reader: ReturnType<typeof createReader>): GatewayLimitSettings {
  const areOff = ['off', 'false'].includes(reader.choice('CAPSTAN_RATE_LIMITS', ['on', 'off', 'true', 'false'], 'on'))
  const read = (name: keyof typeof limitVariables) => reader.integer(limitVariables[name], GatewayLimits[name], 1, limitMax)
  const perClient = (name: keyof typeof limitVariables) => (areOff ? limitMax : read(name))
  return {
    hubSockets: read('hubSockets'),
    hubSocketsPerAddress: perClient('hubSocketsPerAddress'),
    hubSocketsPerUser: perClient('hubSocketsPerUser'),
    hubAttemptsPerAddressMinute: perClient('hubAttemptsPerAddressMinute'),
    unfinishedHubSocketsPerAddress: areOff ? limitMax : GatewayLimits.unfinishedHubSocketsPerAddress,
    proxyConnections: read('proxyConnections'),
    proxyAttemptsPerInstanceMinute: perClient('proxyAttemptsPerInstanceMinute'),
    proxyAttemptsPerAddressMinute: perClient('proxyAttemptsPerAddressMinute'),
  }
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

  function optionalPort(name: string): number | undefined {
    return text(name) === undefined ? undefined : integer(name, 0, 0, 65_535)
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

  return { faults, text, integer, optionalPort, choice, url, optionalOrigin, secret }
}
