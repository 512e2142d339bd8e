import type { TrustedProxies } from '@capstan/http/client'
import { readTracing } from '@capstan/settings/common'
import { type Environment, readSettings } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import { pagesSettings } from './settings.ts'

/** Configuration of the web process, read once from the variables of `settings.ts`. */
export type PagesConfig = Readonly<{
  host: string
  port: number
  /** Port of `/livez`, `/readyz` and `/metrics`, or absent to disable them. */
  managementPort?: number | undefined
  /** Proxies whose X-Forwarded-* headers count. Such headers of other peers are discarded. */
  trustedProxies: TrustedProxies
  apiUrl: string
  gatewayUrl: string
  internalToken: string
  folder: string
  /** Repository URL. By default the pages use the one of their build, if any. */
  repositoryUrl?: string | undefined
  logLevel: string
  tracing?: TracingConfig | undefined
  /** Time for load balancers to notice that this process is unready, before it stops listening, in ms. */
  shutdownDelayMs: number
  /** Maximum lifetime of open sockets afterwards, in ms. */
  drainMs: number
}>

/** @throws SettingsError listing every fault */
export function readConfig(environment: Environment): PagesConfig {
  return readSettings(environment, (reader) => ({ ...reader.read(pagesSettings.process), tracing: readTracing(reader) }))
}
