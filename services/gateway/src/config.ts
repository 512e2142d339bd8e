import { createSecureContext } from 'node:tls'
import { GatewayLimits } from '@capstan/contract/limits'
import { checkInstanceWays, readTracing } from '@capstan/settings/common'
import { type Environment, readSettings, type SettingsReader } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import type { GatewayConfig, WaysConfig } from './gateway.ts'
import type { GatewayLimitSettings } from './limits/settings.ts'
import type { Certificate } from './reach/tls-endpoint.ts'
import { gatewaySettings } from './settings.ts'

/** Deployment configuration of a gateway that runs as a process of its own, read once from the variables of `settings.ts`. */
export interface GatewayProcessConfig extends GatewayConfig {
  readonly host: string
  readonly port: number
  /** Of `/livez`, `/readyz` and `/metrics`; absent: they are not served. */
  readonly managementPort: number | undefined
  /** Origin of the api inside the cluster, asked under `/internal`. */
  readonly apiUrl: string
  /** A gateway of its own hears the api through Redis. */
  readonly redisUrl: string
  readonly logLevel: string
  /** Absent: no traces. */
  readonly tracing?: TracingConfig | undefined
  /** Time after SIGTERM in which load balancers learn that we leave. */
  readonly shutdownDelayMs: number
  /** Longest time that proxied connections may still run after that. */
  readonly drainMs: number
  /** Where connections to instances are taken beside `port`; absent: nowhere. */
  readonly tlsPort: number | undefined
  readonly instancePorts: readonly number[]
}

const notAPair = 'and CAPSTAN_INSTANCES_KEY must be a certificate and its key, both in PEM'

/** No client reaches it. */
const unlimited = 1_000_000

/** @throws SettingsError listing every fault */
export const readConfig = (environment: Environment): Readonly<GatewayProcessConfig> =>
  readSettings(environment, (reader) => {
    const { hubWaitingMaxKb, ...given } = reader.read(gatewaySettings.process)
    return {
      ...given,
      hubWaitingMaxBytes: hubWaitingMaxKb * 1024,
      limits: readLimits(reader),
      ...readWays(reader),
      tracing: readTracing(reader),
    }
  })

function readWays(
  reader: SettingsReader,
): Pick<GatewayProcessConfig, 'tlsPort' | 'instancePorts'> & { readonly ways?: WaysConfig } {
  const given = reader.read(gatewaySettings.ways)
  checkInstanceWays(reader, given)
  const { domain, tlsPort, ports, certificate, key } = given
  const { certificate: certificateSetting, key: keySetting } = gatewaySettings.ways
  if (tlsPort !== undefined && certificate === undefined) reader.miss(certificateSetting, 'CAPSTAN_INSTANCES_TLS_PORT')
  if (tlsPort !== undefined && key === undefined) reader.miss(keySetting, 'CAPSTAN_INSTANCES_TLS_PORT')
  if (tlsPort !== undefined && ports !== undefined && tlsPort >= ports.first && tlsPort <= ports.last)
    reader.refuse(gatewaySettings.ways.tlsPort, 'must not be one of CAPSTAN_INSTANCES_PORTS')
  if (certificate !== undefined && key !== undefined && !isPair({ certificate, key })) reader.refuse(certificateSetting, notAPair)
  const instancePorts =
    ports === undefined ? [] : Array.from({ length: ports.last - ports.first + 1 }, (_, at) => ports.first + at)
  if (domain === undefined) return { tlsPort: undefined, instancePorts: [] }
  const tls = certificate !== undefined && key !== undefined ? { certificate, key } : undefined
  return { tlsPort, instancePorts, ways: { domain, ...(tls && { tls }) } }
}

/** The certificate of instances as it is now, for it is renewed while a gateway runs. @throws SettingsError where it is none */
export const readCertificate = (environment: Environment): Certificate =>
  readSettings(environment, (reader) => {
    const { certificate = '', key = '' } = reader.read(gatewaySettings.ways)
    if (!isPair({ certificate, key })) reader.refuse(gatewaySettings.ways.certificate, notAPair)
    return { certificate, key }
  })

function isPair({ certificate, key }: Certificate): boolean {
  // OpenSSL has nothing against a context without either.
  if (certificate === '' || key === '') return false
  try {
    createSecureContext({ cert: certificate, key })
    return true
  } catch {
    return false
  }
}

/** What clients may use, for a gateway in the process of others. @throws SettingsError listing every fault */
export const readGatewayLimits = (environment: Environment): GatewayLimitSettings => readSettings(environment, readLimits)

function readLimits(reader: SettingsReader): GatewayLimitSettings {
  const { isLimited, ...given } = reader.read(gatewaySettings.limitsPerClient)
  const perClient = { ...given, unfinishedHubSocketsPerAddress: GatewayLimits.unfinishedHubSocketsPerAddress as number }
  const names = Object.keys(perClient) as (keyof typeof perClient)[]
  if (!isLimited) for (const name of names) perClient[name] = unlimited
  return { ...reader.read(gatewaySettings.limits), ...perClient }
}
