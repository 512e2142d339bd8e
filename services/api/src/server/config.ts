import type { CaptchaProvider } from '@capstan/contract/accounts'
import { type ContainerChoices, choicesUpTo, type EgressKind } from '@capstan/contract/container-definition'
import type { InstanceWeb } from '@capstan/contract/reach'
import type { TrustedProxies } from '@capstan/http/client'
import { checkInstanceWays, readTracing } from '@capstan/settings/common'
import type { PortRange } from '@capstan/settings/kinds'
import { type Environment, readSettings, type SettingsReader } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import { apiSettings } from './process-settings.ts'

/** Deployment configuration of the api, read once from the variables of `settings.ts`. */
export type ApiConfig = Readonly<{
  host: string
  port: number
  /** Of `/livez`, `/readyz` and `/metrics`; absent: they are not served. */
  managementPort: number | undefined
  databaseUrl: string
  databaseConnections: number
  /** Absent: an in-process adapter takes the place of Redis. */
  redisUrl: string | undefined
  /** Proxies besides our own web process whose X-Forwarded-* headers count. */
  trustedProxies: TrustedProxies
  /** `https://ctf.example.org`; absent: taken from the request. Never absent where a mail server is configured in production. */
  publicOrigin: string | undefined
  rateLimits: boolean
  /** Key material that private game keys are encrypted with. */
  secretKey: string
  /** Shared with the gateways, which ask under `/internal`. */
  internalToken: string
  adminPassword: string | undefined
  blobs: BlobConfig
  attachmentMaxBytes: number
  smtp: SmtpConfig | undefined
  captcha: CaptchaConfig
  instances: InstanceConfig
  /** What is kept of proxied connections: for so many days, and so many finished ones of each instance. */
  connectionLog: { readonly days: number; readonly rowsPerInstance: number }
  logLevel: string
  /** Absent: no traces. */
  tracing?: TracingConfig | undefined
  production: boolean
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
  /** Least score of reCAPTCHA v3, 0 to 1. */
  scoreThreshold: number
}>

/** Ways to instances through the gateways, beside WebSockets, as players are told of them. */
export type WaysConfig = Readonly<{
  /** Absent: there are none. */
  domain: string | undefined
  web: InstanceWeb
  /** Absent: the usual one. */
  webPort: number | undefined
  tlsPort: number | undefined
  ports: PortRange | undefined
}>

export type InstanceConfig = Readonly<{
  /** Where instances run: a cluster through ChallengeInstance objects, docker or podman, or bundled demo programs as child processes. */
  runtime: 'kubernetes' | 'container' | 'process' | 'none'
  namespace: string
  exposure: 'Proxy' | 'NodePort'
  publicHost: string | undefined
  /** How long a start call waits for readiness before it answers Pending. */
  readyTimeoutMs: number
  repairIntervalMs: number
  /** Names besides FLAG under which the flag is given to containers. */
  flagEnvironmentNames: readonly string[]
  imagePullSecrets: readonly string[]
  egress: EgressKind
  securityProfile: 'Restricted' | 'Baseline'
  /** What challenges may ask for by themselves: up to the widest egress, and no more than the platform gives everybody otherwise. */
  choices: ContainerChoices
  runtimeClassName: string | undefined
  /** Whether traffic of challenges with the switch on is recorded. */
  capture: boolean
  /** Of each recorder: when a file is closed, and how much is kept until it is fetched. */
  captureLimits: { readonly maxSegmentMb: number; readonly maxSegmentSeconds: number; readonly maxStoredMb: number }
  /** Most that is stored of one instance; beyond that its files are given up, and counted. 0: no limit. */
  captureInstanceMb: number
  pidsLimit: number
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

/**
 * Pages of one could set cookies for the other, or be taken for it. Not where the upper one is a name without a dot, such as localhost:
 * no browser takes a cookie for that.
 */
function isAboveOrBelow(one: string, other: string): boolean {
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)
}

function readWays(reader: SettingsReader, publicOrigin: string | undefined): WaysConfig {
  const ways = reader.read(apiSettings.ways)
  checkInstanceWays(reader, ways)
  const { domain } = ways
  if (domain?.includes('.') && publicOrigin !== undefined && isAboveOrBelow(domain, new URL(publicOrigin).hostname))
    reader.refuse(
      apiSettings.ways.domain,
      'must be neither the host of CAPSTAN_PUBLIC_ORIGIN nor above or below it: instances could set cookies for the platform',
    )
  return ways
}

function readInstances(reader: SettingsReader, publicOrigin: string | undefined): InstanceConfig {
  const { flagEnvironmentNames = [], imagePullSecrets = [], widestEgress, ...rest } = reader.read(apiSettings.instances)
  const captureLimits = reader.read(apiSettings.captureLimits)
  // Only a cluster can keep images from running as root.
  const security = rest.runtime === 'kubernetes' ? rest.securityProfile : 'Baseline'
  const choices = choicesUpTo({ egress: widestEgress ?? rest.egress, security, exposure: rest.exposure })
  return { ...rest, choices, flagEnvironmentNames, imagePullSecrets, captureLimits, ways: readWays(reader, publicOrigin) }
}

/** @throws SettingsError listing every fault */
export function readConfig(environment: Environment): ApiConfig {
  return readSettings(environment, (reader) => {
    const { nodeEnvironment, ...given } = reader.read(apiSettings.process)
    const production = nodeEnvironment === 'production'
    const smtp = readSmtp(reader)
    // Whoever asks for a mail chooses the host of the request, and must not choose the one in the link.
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
      tracing: readTracing(reader),
    }
  })
}
