import { CaptchaProvider } from '@capstan/contract/accounts'
import { egressKinds } from '@capstan/contract/container-definition'
import { ConnectionLogLimits } from '@capstan/contract/limits'
import { InstanceWeb } from '@capstan/contract/reach'
import { trustedProxies } from '@capstan/http/client'
import {
  egress,
  imagePullSecrets,
  instanceNamespace,
  instanceWays,
  internalToken,
  listening,
  logLevel,
  optionalRedisUrl,
  publicHost,
  publicOrigin,
  rateLimits,
  runtimeClassName,
  securityProfile,
  tracing,
} from '@capstan/settings/common'
import { decimal, httpUrl, integer, kind, list, milliseconds, oneOf, onOff, secret, text, url } from '@capstan/settings/kinds'
import { optional, required, type SettingGroups, withDefault } from '@capstan/settings/setting'

const databaseAddress = kind(
  'an address that begins with postgres:// or postgresql://',
  'postgres://user:password@host:5432/database',
  // The value is not parsed as a URL, because PostgreSQL addresses may list several hosts.
  (given) => (/^postgres(ql)?:\/\//.test(given) ? given : undefined),
  true,
)

const maxMegabytes = 1_048_576

const withS3 = 'CAPSTAN_BLOBS=s3'
const withCapture = 'CAPSTAN_CAPTURE=on'

/** All variables of the api's process. A group is read as one. */
export const apiSettings = {
  process: {
    nodeEnvironment: withDefault(
      'NODE_ENV',
      text('production or another word', 'production'),
      'development',
      '`production` in every image; anything else logs the links of mails where there is no mail server',
    ),
    ...listening,
    logLevel,
    trustedProxies,
    publicOrigin,
    rateLimits,
    redisUrl: optionalRedisUrl,
    databaseUrl: required('DATABASE_URL', databaseAddress, 'the PostgreSQL that holds everything'),
    databaseConnections: withDefault(
      'CAPSTAN_DATABASE_CONNECTIONS',
      integer(2, 10_000, 40),
      20,
      'most connections to it, of each process',
    ),
    secretKey: required('CAPSTAN_SECRET_KEY', secret(), 'encrypts the games’ private keys: the same for all, for ever'),
    internalToken,
    adminPassword: optional('CAPSTAN_ADMIN_PASSWORD', secret(), 'makes the user `Admin` at the first start'),
    attachmentMaxBytes: withDefault(
      'CAPSTAN_ATTACHMENT_MAX_BYTES',
      integer(1, 1_099_511_627_776, 1_073_741_824),
      536_870_912,
      'largest uploaded attachment',
    ),
    teamTokenPrefix: withDefault('CAPSTAN_TEAM_TOKEN_PREFIX', text('a text', 'CTF_'), 'TEAM_', 'what tokens of teams begin with'),
  },
  connectionLog: {
    days: withDefault(
      'CAPSTAN_CONNECTION_LOG_DAYS',
      integer(1, 36_500, 30, 'days'),
      ConnectionLogLimits.days,
      'how long monitors can read of proxied connections',
    ),
    rowsPerInstance: withDefault(
      'CAPSTAN_CONNECTION_LOG_ROWS_PER_INSTANCE',
      integer(10, 1_000_000, 500),
      ConnectionLogLimits.rowsPerInstance,
      'how many finished ones of each instance',
    ),
  },
  blobs: {
    kind: withDefault('CAPSTAN_BLOBS', oneOf(['folder', 's3'], 's3'), 'folder', 'where files are kept: `folder` or `s3`'),
  },
  folder: {
    folder: withDefault(
      'CAPSTAN_BLOB_FOLDER',
      text('the path of a folder', '/data/blobs'),
      '.capstan/blobs',
      'folder of the files',
      'CAPSTAN_BLOBS=folder',
    ),
  },
  s3: {
    bucket: required('CAPSTAN_S3_BUCKET', text('the name of a bucket', 'capstan-files'), 'bucket of the files', withS3),
    region: withDefault('CAPSTAN_S3_REGION', text('the name of a region', 'eu-central-1'), 'us-east-1', 'its region', withS3),
    endpoint: optional('CAPSTAN_S3_ENDPOINT', httpUrl('https://s3.example.org'), 'its store; without it AWS', withS3),
    accessKeyId: required('CAPSTAN_S3_ACCESS_KEY_ID', secret(), 'name of the key to it', withS3),
    secretAccessKey: required('CAPSTAN_S3_SECRET_ACCESS_KEY', secret(), 'the key to it', withS3),
    forcePathStyle: withDefault(
      'CAPSTAN_S3_PATH_STYLE',
      onOff('off'),
      'on',
      'addresses like `https://host/bucket`, as most stores other than AWS want them',
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
      oneOf(CaptchaProvider.enum, 'GoogleRecaptcha'),
      'None',
      '`None`, `GoogleRecaptcha` or `CloudflareTurnstile`',
    ),
    siteKey: optional(
      'CAPSTAN_CAPTCHA_SITE_KEY',
      text('the provider’s public key', '6LeIxAcTAAAAAJcZ'),
      'its public key of the site',
    ),
    secretKey: optional('CAPSTAN_CAPTCHA_SECRET_KEY', secret(), 'its secret key'),
    verifyUrl: optional(
      'CAPSTAN_CAPTCHA_VERIFY_URL',
      httpUrl('https://www.recaptcha.net/recaptcha/api/siteverify'),
      'where answers are verified; without it at the provider’s usual address',
    ),
    scoreThreshold: withDefault('CAPSTAN_CAPTCHA_SCORE_THRESHOLD', decimal(0, 1, 0.7), 0.5, 'least score of reCAPTCHA v3'),
  },
  instances: {
    runtime: withDefault(
      'CAPSTAN_INSTANCE_RUNTIME',
      oneOf(['kubernetes', 'container', 'process', 'none'], 'kubernetes'),
      'none',
      'where instances run: `kubernetes` or `none`; `npm start` finds out by itself, and has `container` and `process` too',
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
      'how long a start waits for readiness before it answers that the instance is on its way',
    ),
    repairIntervalMs: withDefault(
      'CAPSTAN_INSTANCE_REPAIR_INTERVAL_MS',
      milliseconds(10_000, 100),
      30_000,
      'how often instances are compared with what runs',
    ),
    flagEnvironmentNames: optional(
      'CAPSTAN_FLAG_ENVIRONMENT_NAMES',
      list('names of variables', 'THE_FLAG,CTF_FLAG'),
      'names besides `FLAG` under which containers get their flag',
    ),
    imagePullSecrets,
    egress,
    widestEgress: optional(
      'CAPSTAN_INSTANCE_WIDEST_EGRESS',
      oneOf(egressKinds, 'Internet'),
      'the most that a challenge may ask to connect to by itself: `None`, `Dns` or `Internet`; without it what instances reach anyway',
    ),
    securityProfile,
    runtimeClassName,
    capture: withDefault(
      'CAPSTAN_CAPTURE',
      onOff('on'),
      'off',
      '`on` records the traffic of challenges with the switch on ([docs/captures.md](docs/captures.md))',
    ),
    captureInstanceMb: withDefault(
      'CAPSTAN_CAPTURE_INSTANCE_MB',
      integer(0, 1_073_741_824, 4096, 'megabytes'),
      2048,
      'most that is stored of one instance; 0 is no limit',
      withCapture,
    ),
    pidsLimit: withDefault(
      'CAPSTAN_INSTANCE_PIDS_LIMIT',
      integer(16, 4_194_304, 512),
      256,
      'processes of an instance in a local container',
    ),
  },
  ways: {
    ...instanceWays,
    web: withDefault(
      'CAPSTAN_INSTANCES_WEB',
      oneOf(InstanceWeb.enum, 'http'),
      'https',
      'how browsers reach the host names of instances: `https`, `http`, or `off` where they lead nowhere',
      'CAPSTAN_INSTANCES_DOMAIN',
    ),
    webPort: optional(
      'CAPSTAN_INSTANCES_WEB_PORT',
      integer(1, 65_535, 8443),
      'port of that, where it is not the usual one',
      'CAPSTAN_INSTANCES_DOMAIN',
    ),
  },
  captureLimits: {
    maxSegmentMb: withDefault(
      'CAPSTAN_CAPTURE_SEGMENT_MB',
      integer(1, maxMegabytes, 16, 'megabytes'),
      8,
      'when a recorder closes a file',
      withCapture,
    ),
    maxSegmentSeconds: withDefault(
      'CAPSTAN_CAPTURE_SEGMENT_SECONDS',
      integer(1, 86_400, 60, 'seconds'),
      30,
      'when a recorder closes a file',
      withCapture,
    ),
    maxStoredMb: withDefault(
      'CAPSTAN_CAPTURE_STORED_MB',
      integer(4, maxMegabytes, 256, 'megabytes'),
      128,
      'how much a recorder keeps until it is fetched',
      withCapture,
    ),
  },
  tracing,
} satisfies SettingGroups
