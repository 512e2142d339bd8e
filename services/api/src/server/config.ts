import type { CaptchaProvider } from '@capstan/contract/accounts'
import { type ContainerChoices, type EgressKind, listAllowedContainerChoices } from '@capstan/contract/container-definition'
import { ContainerLimits } from '@capstan/contract/limits'
import type { InstanceWeb } from '@capstan/contract/reach'
import type { TrustedProxies } from '@capstan/http/client'
import { readTracingSettings, requireInstanceDomain } from '@capstan/settings/common'
import type { PortRange } from '@capstan/settings/kinds'
import { type Environment, readSettings, type SettingsReader } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import type { OutgoingConfig } from './outgoing/fenced-fetch.ts'
import { apiSettings } from './process-settings.ts'

/** Deployment configuration of the api, read once from the environment variables in `settings.ts`. */
export type ApiConfig = Readonly<{
  host: string
  port: number
  /** Port for `/livez`, `/readyz` and `/metrics`. If undefined, these paths are not served. */
  managementPort: number | undefined
  databaseUrl: string
  databaseConnections: number
  /** URL of Redis. If undefined, an in-process adapter replaces Redis. */
  redisUrl: string | undefined
  /** Proxies whose X-Forwarded-* headers are trusted. The headers of our web process are always trusted. */
  trustedProxies: TrustedProxies
  /** Maximum number of connections of one client address. The concurrent requests of the address have the same limit. */
  connectionsPerAddress?: number
  /**
   * Public URL, such as `https://ctf.example.org`. Default: the origin of each request. Required in production with a mail
   * server.
   */
  publicOrigin: string | undefined
  rateLimits: boolean
  secretKey: string
  /** Token that authenticates the gateways in calls under `/internal`. */
  internalToken: string
  adminPassword: string | undefined
  blobs: BlobConfig
  maxAttachmentBytes: number
  smtp: SmtpConfig | undefined
  captcha: CaptchaConfig
  instances: InstanceConfig
  /**
   * Retention of the records of proxied connections: the number of days, and the maximum number of ended connections per
   * instance.
   */
  connectionLog: Readonly<{ days: number; rowsPerInstance: number }>
  /** Client secrets of identity providers, as a map from the key of a provider to its secret. */
  signInSecrets: ReadonlyMap<string, string>
  /** Rules for requests to addresses that users enter. */
  outgoing: OutgoingConfig
  logLevel: string
  /** If undefined, tracing is off. */
  tracing?: TracingConfig | undefined
  production: boolean
  /** Time in ms for which a stopping process is unready but still answers requests. Applies only if `production` is true. */
  shutdownDelayMs: number
  teamTokenPrefix: string
}>

export type BlobConfig =
  | Readonly<{ kind: 'folder'; folder: string }>
  | Readonly<{
      kind: 's3'
      bucket: string
      region: string
      endpoint: string | undefined
      accessKeyId: string
      secretAccessKey: string
      forcePathStyle: boolean
    }>

export type SmtpConfig = Readonly<{
  url: string
  from: string
}>

export type CaptchaConfig = Readonly<{
  provider: CaptchaProvider
  siteKey: string
  secretKey: string
  verifyUrl: string | undefined
  scoreThreshold: number
  /** Number of zero bits that a proof of work must have. */
  difficulty: number
}>

/**
 * Settings of the gateway for host names, TLS and plain ports of instances. Access to instances through WebSockets needs no
 * settings.
 */
export type WaysConfig = Readonly<{
  /** Domain of the host names of instances. If undefined, instances have no host names. */
  domain: string | undefined
  web: InstanceWeb
  /** Port in URLs with the host names of instances. If undefined, the default port of the protocol. */
  webPort: number | undefined
  tlsPort: number | undefined
  ports: PortRange | undefined
}>

export type InstanceConfig = Readonly<{
  /**
   * Runtime of instances. `container` is a local container engine (docker or podman), and `process` runs bundled demo programs as
   * child processes.
   */
  runtime: 'kubernetes' | 'container' | 'process' | 'none'
  namespace: string
  exposure: 'Proxy' | 'NodePort'
  publicHost: string | undefined
  /** Maximum time for which a start call waits for readiness, in ms. After this time, the response has the state Pending. */
  readyTimeoutMs: number
  repairIntervalMs: number
  /** Names of environment variables that contain the flag in an instance, in addition to FLAG. */
  flagEnvironmentNames: readonly string[]
  imagePullSecrets: readonly string[]
  egress: EgressKind
  securityProfile: 'Restricted' | 'Baseline'
  /** Container options that the configuration of the platform allows for challenges. */
  choices: ContainerChoices
  runtimeClassName: string | undefined
  /** True if the platform records the traffic of challenges that enable recording. */
  capture: boolean
  /**
   * Limits of each traffic recorder: size and age at which it closes a file, and the total size of closed files that were not yet
   * fetched.
   */
  captureLimits: Readonly<{ maxSegmentMb: number; maxSegmentSeconds: number; maxStoredMb: number }>
  /**
   * Maximum size of all stored traffic captures of a team for one challenge. It includes earlier instances. Further captures are
   * dropped and counted. If 0, there is no limit.
   */
  captureInstanceMb: number
  pidsLimit: number
  /** Endpoint of the operator that serves the output of containers. Undefined if admins cannot read the output. */
  operatorLogs: Readonly<{ url: string; token: string; terminals: boolean }> | undefined
  ways: WaysConfig
}>

function readBlobs(reader: SettingsReader): BlobConfig {
  const { kind } = reader.read(apiSettings.blobs)
  return kind === 'folder' ? { kind, ...reader.read(apiSettings.folder) } : { kind, ...reader.read(apiSettings.s3) }
}

function readSmtp(reader: SettingsReader): SmtpConfig | undefined {
  const { url } = reader.read(apiSettings.mail)
  return url === undefined ? undefined : { url, ...reader.read(apiSettings.sender) }
}

function readCaptcha(reader: SettingsReader): CaptchaConfig {
  const { siteKey = '', secretKey = '', ...rest } = reader.read(apiSettings.captcha)
  return { ...rest, siteKey, secretKey }
}

function readOutgoing(reader: SettingsReader): OutgoingConfig {
  const { allowed = [], blocked = [], ...rest } = reader.read(apiSettings.outgoing)
  return { ...rest, allowed, blocked }
}

/**
 * True if the hosts are equal, or if one is a parent domain of the other. Pages of one host could then set cookies for the other
 * host or imitate its pages.
 */
function isAboveOrBelow(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)
}

function readWays(reader: SettingsReader, publicOrigin: string | undefined): WaysConfig {
  const ways = reader.read(apiSettings.ways)
  requireInstanceDomain(reader, ways)
  const { domain } = ways
  // Browsers accept no cookies for a domain without a dot, such as localhost.
  if (domain?.includes('.') && publicOrigin !== undefined && isAboveOrBelow(domain, new URL(publicOrigin).hostname))
    reader.refuse(
      apiSettings.ways.domain,
      'must be neither the host of CAPSTAN_PUBLIC_ORIGIN nor above or below it: instances could set cookies for the platform',
    )
  return ways
}

function readOperatorLogs(reader: SettingsReader): InstanceConfig['operatorLogs'] {
  const { token, url, terminals } = reader.read(apiSettings.operator)
  return token === undefined || url === undefined ? undefined : { token, url, terminals }
}

function readInstances(reader: SettingsReader, publicOrigin: string | undefined): InstanceConfig {
  const { flagEnvironmentNames = [], imagePullSecrets = [], widestEgress, ...rest } = reader.read(apiSettings.instances)
  const captureLimits = reader.read(apiSettings.captureLimits)
  // Only Kubernetes can refuse images that run as root, so other runtimes use Baseline.
  const security = rest.runtime === 'kubernetes' ? rest.securityProfile : 'Baseline'
  const widest = { egress: widestEgress ?? rest.egress, security, exposure: rest.exposure }
  const choices = listAllowedContainerChoices({ ...widest, maxContainers: ContainerLimits.maxContainers })
  return {
    ...rest,
    ...{ choices, flagEnvironmentNames, imagePullSecrets, captureLimits },
    operatorLogs: readOperatorLogs(reader),
    ways: readWays(reader, publicOrigin),
  }
}

/** @throws SettingsError that lists every fault */
export function readConfig(environment: Environment): ApiConfig {
  return readSettings(environment, (reader) => {
    const { nodeEnvironment, ...given } = reader.read(apiSettings.process)
    const production = nodeEnvironment === 'production'
    const smtp = readSmtp(reader)
    // Without a public origin, the Host header of a request would determine the host of mailed links. Clients control this header.
    if (production && smtp && given.publicOrigin === undefined)
      reader.miss(apiSettings.process.publicOrigin, 'CAPSTAN_SMTP_URL in production')
    return {
      ...given,
      production,
      smtp,
      blobs: readBlobs(reader),
      captcha: readCaptcha(reader),
      instances: readInstances(reader, given.publicOrigin),
      connectionLog: reader.read(apiSettings.connectionLog),
      signInSecrets: reader.read(apiSettings.signIn).secrets ?? new Map(),
      outgoing: readOutgoing(reader),
      tracing: readTracingSettings(reader),
    }
  })
}
