import { readTrustedProxies, type TrustedProxies, trustedProxiesFault } from '@capstan/http/client'
import { readTracingConfig, type TracingConfig } from '@capstan/tracing/tracer'

/** Configuration of the web process. README has the table. */
export interface PagesConfig {
  readonly host: string
  readonly port: number
  /** Of `/livez`, `/readyz` and `/metrics`; absent: they are not served. */
  readonly managementPort?: number | undefined
  /** Proxies whose X-Forwarded-* headers count. Everybody else's are discarded. */
  readonly trustedProxies: TrustedProxies
  readonly apiUrl: string
  readonly gatewayUrl: string
  readonly internalToken: string
  readonly folder: string
  readonly logLevel: string
  /** Absent: no traces. */
  readonly tracing?: TracingConfig | undefined
  /** Time in which load balancers learn that this process leaves, before it stops listening. */
  readonly shutdownDelayMs: number
  /** How long open sockets may go on after that. */
  readonly drainMs: number
}

/** @throws Error listing every fault */
export const readConfig = (env: Readonly<Record<string, string | undefined>>): PagesConfig => {
  const faults: string[] = []
  const url = (name: string): string => {
    const value = env[name] ?? ''
    if (!URL.canParse(value)) faults.push(`${name} must be an address like http://api:8080`)
    return value
  }
  const readPort = (name: string): number | undefined => {
    if (!env[name]) return undefined
    const value = Number(env[name])
    if (!Number.isInteger(value) || value < 0 || value > 65_535) faults.push(`${name} must be a port number`)
    return value
  }
  const trustedProxies = readTrustedProxies(env.CAPSTAN_TRUSTED_PROXIES)
  if (trustedProxies === undefined) faults.push(trustedProxiesFault)
  const milliseconds = (name: string, byDefault: number): number => {
    const value = Number(env[name] ?? byDefault)
    if (!Number.isInteger(value) || value < 0) faults.push(`${name} must be a number of milliseconds`)
    return value
  }
  const internalToken = env.CAPSTAN_INTERNAL_TOKEN ?? ''
  if (internalToken === '') faults.push('CAPSTAN_INTERNAL_TOKEN is missing')
  const config: PagesConfig = {
    host: env.CAPSTAN_HOST ?? '::',
    port: readPort('CAPSTAN_PORT') ?? 8080,
    managementPort: readPort('CAPSTAN_MANAGEMENT_PORT'),
    trustedProxies: trustedProxies ?? false,
    apiUrl: url('CAPSTAN_API_URL'),
    gatewayUrl: url('CAPSTAN_GATEWAY_URL'),
    internalToken,
    folder: env.CAPSTAN_WEB_FOLDER ?? 'web/dist-web',
    logLevel: env.CAPSTAN_LOG_LEVEL ?? 'info',
    tracing: readTracingConfig(env, faults),
    shutdownDelayMs: milliseconds('CAPSTAN_SHUTDOWN_DELAY_MS', 3_000),
    drainMs: milliseconds('CAPSTAN_DRAIN_MS', 20_000),
  }
  if (faults.length > 0) throw new Error(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
  return Object.freeze(config)
}
