import { createSecureContext } from 'node:tls'
import { GatewayLimits } from '@capstan/contract/limits'
import { readTracingSettings, requireInstanceDomain } from '@capstan/settings/common'
import { type Environment, readSettings, type SettingsReader } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import type { GatewayConfig, WaysConfig } from './gateway.ts'
import type { GatewayLimitSettings } from './limits/settings.ts'
import type { Certificate } from './reach/tls-endpoint.ts'
import { gatewaySettings } from './settings.ts'

/** Deployment configuration of a gateway process, read once from the environment variables that `settings.ts` lists. */
export type GatewayProcessConfig = GatewayConfig &
  Readonly<{
    host: string
    port: number
    /** Port of `/livez`, `/readyz` and `/metrics`, or undefined to disable them. */
    managementPort: number | undefined
    /** Internal origin of the api, which serves `/internal`. */
    apiUrl: string
    /** URL of the Redis through which the gateway receives messages of the api. */
    redisUrl: string
    logLevel: string
    /** Settings of tracing. If absent, tracing is off. */
    tracing?: TracingConfig | undefined
    /**
     * Delay between SIGTERM and the start of the shutdown, in ms. In this time, load balancers notice that the process is
     * unready.
     */
    shutdownDelayMs: number
    /** Maximum time for which open proxied connections continue after `shutdownDelayMs`, in ms. */
    drainMs: number
    /** Port for TLS connections to instances, in addition to `port`. */
    tlsPort: number | undefined
    instancePorts: readonly number[]
  }>

const notAPair = 'and CAPSTAN_INSTANCES_KEY must be a certificate and its key, both in PEM'

/** Value for a limit that is switched off. No client reaches it. */
const unlimited = 1_000_000

/** @throws SettingsError that lists all faults */
export function readConfig(environment: Environment): Readonly<GatewayProcessConfig> {
  return readSettings(environment, (reader) => {
    const { maxHubWaitingKb, ...given } = reader.read(gatewaySettings.process)
    return {
      ...given,
      maxHubWaitingBytes: maxHubWaitingKb * 1024,
      limits: readLimits(reader),
      ...readWays(reader),
      tracing: readTracingSettings(reader),
    }
  })
}

function readWays(
  reader: SettingsReader,
): Pick<GatewayProcessConfig, 'tlsPort' | 'instancePorts'> & { readonly ways?: WaysConfig } {
  const given = reader.read(gatewaySettings.ways)
  requireInstanceDomain(reader, given)
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

export function readCertificate(environment: Environment): Certificate {
  return readSettings(environment, (reader) => {
    const { certificate = '', key = '' } = reader.read(gatewaySettings.ways)
    if (!isPair({ certificate, key })) reader.refuse(gatewaySettings.ways.certificate, notAPair)
    return { certificate, key }
  })
}

function isPair({ certificate, key }: Certificate): boolean {
  // Refuse a missing certificate or key here, because OpenSSL would accept a context without them.
  if (certificate === '' || key === '') return false
  try {
    createSecureContext({ cert: certificate, key })
    return true
  } catch {
    return false
  }
}

/**
 * Reads the client limits, for a gateway that runs in the process of the api.
 * @throws SettingsError that lists all faults
 */
export function readGatewayLimits(environment: Environment): GatewayLimitSettings {
  return readSettings(environment, readLimits)
}

function readLimits(reader: SettingsReader): GatewayLimitSettings {
  const { isLimited, ...given } = reader.read(gatewaySettings.limitsPerClient)
  const perClient = { ...given, unfinishedHubSocketsPerAddress: GatewayLimits.unfinishedHubSocketsPerAddress as number }
  const names = Object.keys(perClient) as (keyof typeof perClient)[]
  if (!isLimited) for (const name of names) perClient[name] = unlimited
  return { ...reader.read(gatewaySettings.limits), ...perClient }
}
