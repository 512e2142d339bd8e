import type { TrustedProxies } from '@capstan/http/client'
import { readTracing } from '@capstan/settings/common'
import { type Environment, readSettings } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import { pagesSettings } from './settings.ts'

/** Configuration of the web process, read once from the variables of `settings.ts`. */
export type PagesConfig = Readonly<{
  host: string
  port: number
  /** Port of `/livez`, `/readyz` and `/metrics`. If absent, they are disabled. */
  managementPort?: number | undefined
  /** Proxies whose X-Forwarded-* headers count. Such headers from any other peer are discarded. */
  trustedProxies: TrustedProxies
  apiUrl: string
  gatewayUrl: string
  internalToken: string
  folder: string
  /** Repository URL. By default the pages use the URL of their build, if any. */
  repositoryUrl?: string | undefined
  logLevel: string
  tracing?: TracingConfig | undefined
  /**
   * Time for which the process still accepts connections after it becomes unready, in ms. Load balancers notice the unreadiness
   * in this time.
   */
  shutdownDelayMs: number
  /** Maximum time for which open sockets remain open after that, in ms. */
  drainMs: number
}>

/**
 * @throws SettingsError with every fault
 */
export function readConfig(environment: Environment): PagesConfig {
  return readSettings(environment, (reader) => ({ ...reader.read(pagesSettings.process), tracing: readTracing(reader) }))
}
