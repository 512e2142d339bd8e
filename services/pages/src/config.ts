import type { TrustedProxies } from '@capstan/http/client'
import { readTracingSettings } from '@capstan/settings/common'
import { type Environment, readSettings } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import { pagesSettings } from './settings.ts'

/** Configuration of the web process, read once from the environment variables in `settings.ts`. */
export type PagesConfig = Readonly<{
  host: string
  port: number
  /** Port of `/livez`, `/readyz` and `/metrics`. If absent, they are disabled. */
  managementPort?: number | undefined
  /** Proxies whose X-Forwarded-* headers are trusted. Such headers from all other clients are discarded. */
  trustedProxies: TrustedProxies
  /** Maximum number of connections per client address. Concurrent requests per client address have the same maximum. */
  connectionsPerAddress?: number
  apiUrl: string
  gatewayUrl: string
  internalToken: string
  folder: string
  /** URL of the source repository. If undefined, the pages use the URL from their build, if the build has one. */
  repositoryUrl?: string | undefined
  logLevel: string
  tracing?: TracingConfig | undefined
  /**
   * Time in ms from becoming unready until the process no longer accepts connections. In this time, load balancers
   * notice that the process is unready.
   */
  shutdownDelayMs: number
  /** Maximum time in ms for which open connections may continue after the process has stopped accepting new connections. */
  drainMs: number
}>

/** Reads the configuration from environment variables. @throws SettingsError with every fault */
export function readConfig(environment: Environment): PagesConfig {
  return readSettings(environment, (reader) => ({ ...reader.read(pagesSettings.process), tracing: readTracingSettings(reader) }))
}
