import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConnectionLogLimits } from '@capstan/contract/limits'
import { readTrustedProxies, type TrustedProxies, trustedProxiesFault } from '@capstan/http/client'
import { readTracingConfig, type TracingConfig } from '@capstan/tracing/tracer'

/** Deployment configuration of the api. Read once; wrong values are listed all at once. README has the table. */
export interface ApiConfig {
  readonly host: string
  readonly port: number
  /** Of `/livez`, `/readyz` and `/metrics`; absent: they are not served. */
  readonly managementPort: number | undefined
  readonly databaseUrl: string
  readonly databaseConnections: number
  /** Absent: an in-process adapter takes the place of Redis. */
  readonly redisUrl: string | undefined
  /** Proxies besides our own web process whose X-Forwarded-* headers count. */
  readonly trustedProxies: TrustedProxies
  /** `https://ctf.example.org`; absent: taken from the request. Never absent where a mail server is configured in production. */
  readonly publicOrigin: string | undefined
  readonly rateLimits: boolean
  /** Key material that private game keys are encrypted with. */
  readonly secretKey: string
  /** Shared with the gateways, which ask under `/internal`. */
  readonly internalToken: string
  readonly adminPassword: string | undefined
  readonly blobs: BlobConfig
  readonly attachmentMaxBytes: number
  readonly smtp: SmtpConfig | undefined
  readonly captcha: CaptchaConfig
  readonly instances: InstanceConfig
  /** What is kept of proxied connections: for so many days, and so many finished ones of each instance. */
  readonly connectionLog: { readonly days: number; readonly rowsPerInstance: number }
  readonly logLevel: string
  /** Absent: no traces. */
  readonly tracing?: TracingConfig | undefined
  readonly production: boolean
  /** Folder with the built web client; absent: the api serves no pages. */
  readonly webFolder: string | undefined
  readonly teamTokenPrefix: string
}

export type BlobConfig =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3'
      readonly bucket: string
      readonly region: string
      readonly endpoint: string | undefined
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly forcePathStyle: boolean
    }

export interface SmtpConfig {
  readonly url: string
  readonly from: string
}

export interface CaptchaConfig {
  readonly provider: 'None' | 'GoogleRecaptcha' | 'CloudflareTurnstile'
  readonly siteKey: string
  readonly secretKey: string
  readonly verifyUrl: string | undefined
  /** Least score of reCAPTCHA v3, 0 to 1. */
  readonly scoreThreshold: number
}

export interface InstanceConfig {
  /** Where instances run: a cluster through ChallengeInstance objects, docker or podman, or bundled demo programs as child processes. */
  readonly runtime: 'kubernetes' | 'container' | 'process' | 'none'
  readonly namespace: string
  readonly exposure: 'Proxy' | 'NodePort'
  readonly publicHost: string | undefined
  /** How long a start call waits for readiness before it answers Pending. */
  readonly readyTimeoutMs: number
  readonly repairIntervalMs: number
  /** Names besides FLAG under which the flag is given to containers. */
  readonly flagEnvironmentNames: readonly string[]
  readonly imagePullSecrets: readonly string[]
  readonly egress: 'None' | 'Dns' | 'Internet'
  readonly securityProfile: 'Restricted' | 'Baseline'
  readonly runtimeClassName: string | undefined
  /** Whether traffic of challenges with the switch on is recorded. */
  readonly capture: boolean
  /** Of each recorder: when a file is closed, and how much is kept until it is fetched. */
  readonly captureLimits: { readonly maxSegmentMb: number; readonly maxSegmentSeconds: number; readonly maxStoredMb: number }
  /** Most that is stored of one instance; beyond that its files are given up, and counted. 0: no limit. */
  readonly captureInstanceMb: number
  readonly pidsLimit: number
}

export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is wrong:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const createReader = (env: Environment) => {
  const faults: string[] = []
  /** The variable itself, or the content of the file that `<NAME>_FILE` names. */
  const text = (name: string): string | undefined => {
    const file = env[`${name}_FILE`]
    if (env[name] !== undefined && env[name] !== '') return env[name]
    if (!file) return undefined
    try {
      return readFileSync(file, 'utf8').trim()
    } catch {
      faults.push(`${name}_FILE names ${file}, which cannot be read`)
      return undefined
    }
  }
  const required = (name: string): string => {
    const value = text(name)
    if (value === undefined) faults.push(`${name} is missing`)
    return value ?? ''
  }
  const number = (name: string, byDefault: number, least = 0): number => {
    const value = text(name)
    if (value === undefined) return byDefault
    const parsed = Number(value)
    if (!Number.isFinite(parsed) || parsed < least) faults.push(`${name} must be a number of at least ${least}`)
    return parsed
  }
  const choice = <const Options extends readonly string[]>(
    name: string,
    options: Options,
    byDefault: Options[number],
  ): Options[number] => {
    const value = text(name)
    if (value === undefined) return byDefault
    const found = options.find((option) => option.toLowerCase() === value.toLowerCase())
    if (!found) faults.push(`${name} must be one of ${options.join(', ')}`)
    return found ?? byDefault
  }
  const flag = (name: string, byDefault: boolean): boolean =>
    choice(name, ['on', 'off', 'true', 'false'], byDefault ? 'on' : 'off').match(/^(on|true)$/) !== null
  const list = (name: string): string[] =>
    (text(name) ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean)
  const origin = (name: string): string | undefined => {
    const value = text(name)
    if (value === undefined || /^https?:$/.test(URL.parse(value)?.protocol ?? '')) return value
    faults.push(`${name} must be an origin such as https://ctf.example.org`)
    return undefined
  }
  return { text, required, number, choice, flag, list, origin, faults }
}

type Reader = ReturnType<typeof createReader>

const readBlobs = ({ text, required, flag, choice }: Reader): BlobConfig => {
  if (choice('CAPSTAN_BLOBS', ['folder', 's3'], 'folder') === 'folder')
    return { kind: 'folder', folder: text('CAPSTAN_BLOB_FOLDER') ?? '.capstan/blobs' }
  return {
    kind: 's3',
    bucket: required('CAPSTAN_S3_BUCKET'),
    region: text('CAPSTAN_S3_REGION') ?? 'us-east-1',
    endpoint: text('CAPSTAN_S3_ENDPOINT'),
    accessKeyId: required('CAPSTAN_S3_ACCESS_KEY_ID'),
    secretAccessKey: required('CAPSTAN_S3_SECRET_ACCESS_KEY'),
    forcePathStyle: flag('CAPSTAN_S3_PATH_STYLE', true),
  }
}

const readInstances = ({ text, number, choice, flag, list }: Reader): InstanceConfig => ({
  runtime: choice('CAPSTAN_INSTANCE_RUNTIME', ['kubernetes', 'container', 'process', 'none'], 'none'),
  namespace: text('CAPSTAN_INSTANCE_NAMESPACE') ?? 'capstan-instances',
  exposure: choice('CAPSTAN_INSTANCE_EXPOSURE', ['Proxy', 'NodePort'], 'Proxy'),
  publicHost: text('CAPSTAN_INSTANCE_PUBLIC_HOST'),
  readyTimeoutMs: number('CAPSTAN_INSTANCE_READY_TIMEOUT_MS', 30_000),
  repairIntervalMs: number('CAPSTAN_INSTANCE_REPAIR_INTERVAL_MS', 30_000, 100),
  flagEnvironmentNames: list('CAPSTAN_FLAG_ENVIRONMENT_NAMES'),
  imagePullSecrets: list('CAPSTAN_IMAGE_PULL_SECRETS'),
  egress: choice('CAPSTAN_INSTANCE_EGRESS', ['None', 'Dns', 'Internet'], 'None'),
  securityProfile: choice('CAPSTAN_INSTANCE_SECURITY', ['Restricted', 'Baseline'], 'Restricted'),
  runtimeClassName: text('CAPSTAN_INSTANCE_RUNTIME_CLASS'),
  capture: flag('CAPSTAN_CAPTURE', false),
  captureLimits: {
    maxSegmentMb: number('CAPSTAN_CAPTURE_SEGMENT_MB', 8, 1),
    maxSegmentSeconds: number('CAPSTAN_CAPTURE_SEGMENT_SECONDS', 30, 1),
    maxStoredMb: number('CAPSTAN_CAPTURE_STORED_MB', 128, 4),
  },
  captureInstanceMb: number('CAPSTAN_CAPTURE_INSTANCE_MB', 2048),
  pidsLimit: number('CAPSTAN_INSTANCE_PIDS_LIMIT', 256, 16),
})

/** @throws ConfigError listing every fault */
export const readConfig = (env: Environment): ApiConfig => {
  const reader = createReader(env)
  const { text, required, number, choice, flag, origin, faults } = reader
  const production = env.NODE_ENV === 'production'
  const smtpUrl = text('CAPSTAN_SMTP_URL')
  const trustedProxies = readTrustedProxies(text('CAPSTAN_TRUSTED_PROXIES'))
  if (trustedProxies === undefined) faults.push(trustedProxiesFault)
  const config: ApiConfig = {
    host: text('CAPSTAN_HOST') ?? '::',
    port: number('CAPSTAN_PORT', 8080),
    managementPort: text('CAPSTAN_MANAGEMENT_PORT') === undefined ? undefined : number('CAPSTAN_MANAGEMENT_PORT', 0),
    databaseUrl: required('DATABASE_URL'),
    databaseConnections: number('CAPSTAN_DATABASE_CONNECTIONS', 20, 2),
    redisUrl: text('REDIS_URL'),
    trustedProxies: trustedProxies ?? false,
    publicOrigin: origin('CAPSTAN_PUBLIC_ORIGIN'),
    rateLimits: flag('CAPSTAN_RATE_LIMITS', true),
    secretKey: production ? required('CAPSTAN_SECRET_KEY') : (text('CAPSTAN_SECRET_KEY') ?? 'for development only'),
    internalToken: text('CAPSTAN_INTERNAL_TOKEN') ?? randomBytes(24).toString('hex'),
    adminPassword: text('CAPSTAN_ADMIN_PASSWORD'),
    blobs: readBlobs(reader),
    attachmentMaxBytes: number('CAPSTAN_ATTACHMENT_MAX_BYTES', 512 * 1024 * 1024, 1),
    smtp: smtpUrl ? { url: smtpUrl, from: required('CAPSTAN_SMTP_FROM') } : undefined,
    captcha: {
      provider: choice('CAPSTAN_CAPTCHA_PROVIDER', ['None', 'GoogleRecaptcha', 'CloudflareTurnstile'], 'None'),
      siteKey: text('CAPSTAN_CAPTCHA_SITE_KEY') ?? '',
      secretKey: text('CAPSTAN_CAPTCHA_SECRET_KEY') ?? '',
      verifyUrl: text('CAPSTAN_CAPTCHA_VERIFY_URL'),
      scoreThreshold: number('CAPSTAN_CAPTCHA_SCORE_THRESHOLD', 0.5),
    },
    instances: readInstances(reader),
    connectionLog: {
      days: number('CAPSTAN_CONNECTION_LOG_DAYS', ConnectionLogLimits.days, 1),
      rowsPerInstance: Math.floor(number('CAPSTAN_CONNECTION_LOG_ROWS_PER_INSTANCE', ConnectionLogLimits.rowsPerInstance, 10)),
    },
    logLevel: text('CAPSTAN_LOG_LEVEL') ?? 'info',
    tracing: readTracingConfig(env, faults),
    production,
    webFolder: text('CAPSTAN_WEB_FOLDER'),
    teamTokenPrefix: text('CAPSTAN_TEAM_TOKEN_PREFIX') ?? 'TEAM_',
  }
  // Whoever asks for a mail chooses the host of the request, and must not choose the one in the link.
  if (production && config.smtp && !text('CAPSTAN_PUBLIC_ORIGIN'))
    faults.push('CAPSTAN_PUBLIC_ORIGIN is missing: links in mails lead there, for example https://ctf.example.org')
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config)
}
