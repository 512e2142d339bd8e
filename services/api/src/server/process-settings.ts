import { captchaProviders } from '@capstan/contract/accounts'
import { egressKinds } from '@capstan/contract/container-definition'
import { ConnectionLogLimits } from '@capstan/contract/limits'
import { InstanceWeb } from '@capstan/contract/reach'
import { connectionsPerAddress, trustedProxies } from '@capstan/http/client'
import {
  egress,
  imagePullSecrets,
  instanceNamespace,
  instanceWays,
  internalToken,
  listening,
  logLevel,
  operatorToken,
  optionalRedisUrl,
  publicHost,
  publicOrigin,
  rateLimits,
  runtimeClassName,
  securityProfile,
  shutdownDelayMs,
  terminals,
  tracing,
} from '@capstan/settings/common'
import {
  createSettingKind,
  decimal,
  httpUrl,
  integer,
  list,
  milliseconds,
  oneOf,
  onOff,
  secret,
  text,
  url,
} from '@capstan/settings/kinds'
import { optional, required, type SettingGroups, withDefault } from '@capstan/settings/setting'
import { isIpNetwork } from './outgoing/address-rules.ts'

const databaseAddress = createSettingKind(
  'an address that begins with postgres:// or postgresql://',
  'postgres://user:password@host:5432/database',
  // Do not parse the value as a URL: PostgreSQL addresses may list several hosts.
  (given) => (/^postgres(ql)?:\/\//.test(given) ? given : undefined),
  true,
)

const pemCertificates = createSettingKind('certificates in PEM', '-----BEGIN CERTIFICATE-----…', (given) =>
  given.startsWith('-----BEGIN CERTIFICATE-----') ? given : undefined,
)

/** Client secrets of identity providers, one line `key=secret` for each provider. */
const clientSecrets = createSettingKind(
  'lines with the key of a provider, `=` and its client secret',
  'campus=$(openssl rand -hex 24)',
  (given): ReadonlyMap<string, string> | undefined => {
    const lines = given.split('\n').filter((line) => line.trim() !== '')
    const entries = lines.map((line): [string, string] => {
      const [key = ''] = line.split('=', 1)
      return [key.trim(), line.slice(key.length + 1).trim()]
    })
    return entries.every(([key, secret]) => key !== '' && secret !== '') ? new Map(entries) : undefined
  },
  true,
)

const maxMegabytes = 1_048_576

const withS3 = 'CAPSTAN_BLOBS=s3'
const withCapture = 'CAPSTAN_CAPTURE=on'

/** Environment variables of the api process. The variables of a group are read together. */
export const apiSettings = {
  process: {
    nodeEnvironment: withDefault(
      'NODE_ENV',
      text('production or another word', 'production'),
      'development',
      '`production` in every image; with any other value and without a mail server, links in mails are logged',
    ),
    ...listening,
    shutdownDelayMs,
    logLevel,
    trustedProxies,
    connectionsPerAddress,
    publicOrigin,
    rateLimits,
    redisUrl: optionalRedisUrl,
    databaseUrl: required('DATABASE_URL', databaseAddress, 'address of PostgreSQL'),
    databaseConnections: withDefault(
      'CAPSTAN_DATABASE_CONNECTIONS',
      integer(2, 10_000, 40),
      20,
      'maximum number of database connections of each process',
    ),
    secretKey: required(
      'CAPSTAN_SECRET_KEY',
      secret(),
      'key that encrypts the games’ private keys; the same for all processes, and never changed',
    ),
    internalToken,
    adminPassword: optional(
      'CAPSTAN_ADMIN_PASSWORD',
      secret(),
      'password of the user `Admin`, who is created at the first start',
    ),
    maxAttachmentBytes: withDefault(
      'CAPSTAN_ATTACHMENT_MAX_BYTES',
      integer(1, 1_099_511_627_776, 1_073_741_824),
      536_870_912,
      'maximum size of an uploaded attachment, in bytes',
    ),
    teamTokenPrefix: withDefault('CAPSTAN_TEAM_TOKEN_PREFIX', text('a text', 'CTF_'), 'TEAM_', 'prefix of team tokens'),
  },
  connectionLog: {
    days: withDefault(
      'CAPSTAN_CONNECTION_LOG_DAYS',
      integer(1, 36_500, 30, 'days'),
      ConnectionLogLimits.days,
      'retention of rows about proxied connections, in days',
    ),
    rowsPerInstance: withDefault(
      'CAPSTAN_CONNECTION_LOG_ROWS_PER_INSTANCE',
      integer(10, 1_000_000, 500),
      ConnectionLogLimits.rowsPerInstance,
      'maximum number of rows about finished connections of each instance',
    ),
  },
  signIn: {
    secrets: optional(
      'CAPSTAN_SIGN_IN_SECRETS',
      clientSecrets,
      'client secrets of identity providers, which replace those that admins enter in the browser',
    ),
  },
  outgoing: {
    allowed: optional(
      'CAPSTAN_OUTGOING_ALLOWED',
      list('networks, addresses and host names', '10.1.2.0/24,chat.example.internal'),
      'private networks, addresses and host names that requests to addresses from users, such as webhooks, may reach',
    ),
    blocked: optional(
      'CAPSTAN_OUTGOING_BLOCKED',
      list('networks and addresses', '203.0.113.0/24', isIpNetwork),
      'public networks and addresses that such requests must not reach, such as those of the cluster',
    ),
    http: withDefault('CAPSTAN_OUTGOING_HTTP', onOff('on'), 'off', '`on` permits such requests without TLS'),
    authorities: optional(
      'CAPSTAN_OUTGOING_CA',
      pemCertificates,
      'certificates of private authorities that such requests trust beside the public ones',
    ),
    proxy: optional(
      'CAPSTAN_OUTGOING_PROXY',
      url(['http:'], 'http://proxy.example.internal:3128'),
      'HTTP proxy of such requests, which must permit CONNECT to addresses; the api itself resolves the host names',
    ),
  },
  blobs: {
    kind: withDefault('CAPSTAN_BLOBS', oneOf(['folder', 's3'], 's3'), 'folder', 'store of files: `folder` or `s3`'),
  },
  folder: {
    folder: withDefault(
      'CAPSTAN_BLOB_FOLDER',
      text('the path of a folder', '/data/blobs'),
      '.capstan/blobs',
      'folder that stores files',
      'CAPSTAN_BLOBS=folder',
    ),
  },
  s3: {
    bucket: required('CAPSTAN_S3_BUCKET', text('the name of a bucket', 'capstan-files'), 'bucket that stores files', withS3),
    region: withDefault(
      'CAPSTAN_S3_REGION',
      text('the name of a region', 'eu-central-1'),
      'us-east-1',
      'region of the bucket',
      withS3,
    ),
    endpoint: optional(
      'CAPSTAN_S3_ENDPOINT',
      httpUrl('https://s3.example.org'),
      'address of the S3 store; by default AWS',
      withS3,
    ),
    accessKeyId: required('CAPSTAN_S3_ACCESS_KEY_ID', secret(), 'id of the access key', withS3),
    secretAccessKey: required('CAPSTAN_S3_SECRET_ACCESS_KEY', secret(), 'secret access key', withS3),
    forcePathStyle: withDefault(
      'CAPSTAN_S3_PATH_STYLE',
      onOff('off'),
      'on',
      '`on` uses addresses like `https://host/bucket`, which most stores other than AWS need',
      withS3,
    ),
  },
  mail: {
    url: optional(
      'CAPSTAN_SMTP_URL',
      url(['smtp:', 'smtps:'], 'smtps://user:password@host:465', { isSecret: true }),
      'mail server; without it no mail is sent',
    ),
  },
  sender: {
    from: required('CAPSTAN_SMTP_FROM', text('a mail address', 'ctf@example.org'), 'sender of mails', 'CAPSTAN_SMTP_URL'),
  },
  captcha: {
    provider: withDefault(
      'CAPSTAN_CAPTCHA_PROVIDER',
      oneOf(captchaProviders, 'GoogleRecaptcha'),
      'None',
      '`None`, `GoogleRecaptcha`, `CloudflareTurnstile` or `HashPow` (proof of work, without keys)',
    ),
    siteKey: optional(
      'CAPSTAN_CAPTCHA_SITE_KEY',
      text('the provider’s public key', '6LeIxAcTAAAAAJcZ'),
      'public key of the site, from the provider',
    ),
    secretKey: optional('CAPSTAN_CAPTCHA_SECRET_KEY', secret(), 'secret key, from the provider'),
    verifyUrl: optional(
      'CAPSTAN_CAPTCHA_VERIFY_URL',
      httpUrl('https://www.recaptcha.net/recaptcha/api/siteverify'),
      'address that verifies captcha answers; by default the provider’s usual address',
    ),
    scoreThreshold: withDefault('CAPSTAN_CAPTCHA_SCORE_THRESHOLD', decimal(0, 1, 0.7), 0.5, 'minimum score of reCAPTCHA v3'),
    difficulty: withDefault(
      'CAPSTAN_CAPTCHA_DIFFICULTY',
      integer(8, 48, 20, 'bits'),
      18,
      'difficulty of the proof of work; each further bit doubles the work of a browser',
    ),
  },
  instances: {
    runtime: withDefault(
      'CAPSTAN_INSTANCE_RUNTIME',
      oneOf(['kubernetes', 'container', 'process', 'none'], 'kubernetes'),
      'none',
      'runtime of instances: `kubernetes` or `none`; `npm start` chooses it, and also supports `container` and `process`',
    ),
    namespace: instanceNamespace,
    exposure: withDefault(
      'CAPSTAN_INSTANCE_EXPOSURE',
      oneOf(['Proxy', 'NodePort'], 'NodePort'),
      'Proxy',
      'how players reach instances: `Proxy` or `NodePort`',
    ),
    publicHost,
    readyTimeoutMs: withDefault(
      'CAPSTAN_INSTANCE_READY_TIMEOUT_MS',
      milliseconds(15_000),
      30_000,
      'maximum time that a start waits until the instance is ready, in ms; afterwards it answers that the instance is pending',
    ),
    repairIntervalMs: withDefault(
      'CAPSTAN_INSTANCE_REPAIR_INTERVAL_MS',
      milliseconds(10_000, 100),
      30_000,
      'interval between comparisons of rows and running instances, in ms',
    ),
    flagEnvironmentNames: optional(
      'CAPSTAN_FLAG_ENVIRONMENT_NAMES',
      list('names of variables', 'THE_FLAG,CTF_FLAG'),
      'further variables that contain the flag, besides `FLAG`',
    ),
    imagePullSecrets,
    egress,
    widestEgress: optional(
      'CAPSTAN_INSTANCE_WIDEST_EGRESS',
      oneOf(egressKinds, 'Internet'),
      'maximum egress that a challenge may request: `None`, `Dns` or `Internet`; by default `CAPSTAN_INSTANCE_EGRESS`',
    ),
    securityProfile,
    runtimeClassName,
    capture: withDefault(
      'CAPSTAN_CAPTURE',
      onOff('on'),
      'off',
      '`on` records the traffic of challenges that enable it ([docs/captures.md](docs/captures.md))',
    ),
    captureInstanceMb: withDefault(
      'CAPSTAN_CAPTURE_INSTANCE_MB',
      integer(0, 1_073_741_824, 4096, 'megabytes'),
      2048,
      'maximum size of stored recordings of a team for one challenge, including earlier instances, in MB; 0 is no limit',
      withCapture,
    ),
    pidsLimit: withDefault(
      'CAPSTAN_INSTANCE_PIDS_LIMIT',
      integer(16, 4_194_304, 512),
      256,
      'maximum number of processes of an instance in a local container',
    ),
  },
  operator: {
    token: operatorToken,
    terminals,
    url: optional(
      'CAPSTAN_OPERATOR_URL',
      httpUrl('http://capstan-operator-logs:8082'),
      'address at which the operator offers the output of containers',
      operatorToken.name,
    ),
  },
  ways: {
    ...instanceWays,
    web: withDefault(
      'CAPSTAN_INSTANCES_WEB',
      oneOf(InstanceWeb.enum, 'http'),
      'https',
      'scheme by which browsers reach the host names of instances: `https`, `http`, or `off` if browsers cannot reach them',
      'CAPSTAN_INSTANCES_DOMAIN',
    ),
    webPort: optional(
      'CAPSTAN_INSTANCES_WEB_PORT',
      integer(1, 65_535, 8443),
      'port of these addresses, if it is not the default of the scheme',
      'CAPSTAN_INSTANCES_DOMAIN',
    ),
  },
  captureLimits: {
    maxSegmentMb: withDefault(
      'CAPSTAN_CAPTURE_SEGMENT_MB',
      integer(1, maxMegabytes, 16, 'megabytes'),
      8,
      'file size at which a recorder closes a file, in MB',
      withCapture,
    ),
    maxSegmentSeconds: withDefault(
      'CAPSTAN_CAPTURE_SEGMENT_SECONDS',
      integer(1, 86_400, 60, 'seconds'),
      30,
      'file age at which a recorder closes a file, in seconds',
      withCapture,
    ),
    maxStoredMb: withDefault(
      'CAPSTAN_CAPTURE_STORED_MB',
      integer(4, maxMegabytes, 256, 'megabytes'),
      128,
      'maximum size of recordings in a pod that wait to be fetched, in MB',
      withCapture,
    ),
  },
  tracing,
} satisfies SettingGroups
