import type { TrustedProxies } from '@capstan/http/client'
import { readTracing } from '@capstan/settings/common'
import { type Environment, readSettings } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import { pagesSettings } from './settings.ts'

/** Configuration of the web process, read once from the variables of `settings.ts`. */
export interface PagesConfig {
  readonly host: string
  readonly port: number
  /** Port of `/livez`, `/readyz` and `/metrics`, or absent to disable them. */
  readonly managementPort?: number | undefined
  /** Proxies whose X-Forwarded-* headers count. Those of other peers are discarded. */
  readonly trustedProxies: TrustedProxies
  readonly apiUrl: string
  readonly gatewayUrl: string
  readonly internalToken: string
  readonly folder: string
  /** Repository URL. By default the pages use the one of their build, if any. */
  readonly repositoryUrl?: string | undefined
  readonly logLevel: string
  /** Absent if tracing is off. */
  readonly tracing?: TracingConfig | undefined
  /** Time for load balancers to notice that this process is unready, before it stops listening, in ms. */
  readonly shutdownDelayMs: number
  /** Maximum lifetime of open sockets afterwards, in ms. */
  readonly drainMs: number
}

/** @throws SettingsError listing every fault */
export const readConfig = (environment: Environment): PagesConfig =>
  readSettings(environment, (reader) => ({ ...reader.read(pagesSettings.process), tracing: readTracing(reader) }))
