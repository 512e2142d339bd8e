import type { TrustedProxies } from '@capstan/http/client'
import { readTracing } from '@capstan/settings/common'
import { type Environment, readSettings } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import { pagesSettings } from './settings.ts'

/** Configuration of the web process, read once from the variables of `settings.ts`. */
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
  /** Absent: the pages know it from their build, or not at all. */
  readonly repositoryUrl?: string | undefined
  readonly logLevel: string
  /** Absent: no traces. */
  readonly tracing?: TracingConfig | undefined
  /** Time in which load balancers learn that this process leaves, before it stops listening. */
  readonly shutdownDelayMs: number
  /** How long open sockets may go on after that. */
  readonly drainMs: number
}

/** @throws SettingsError listing every fault */
export const readConfig = (environment: Environment): PagesConfig =>
  readSettings(environment, (reader) => ({ ...reader.read(pagesSettings.process), tracing: readTracing(reader) }))
