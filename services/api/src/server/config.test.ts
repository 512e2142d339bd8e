import { SettingsError } from '@capstan/settings/read'
import { expect, test } from 'vitest'
import { requiredEnvironment as development } from '../testing/environment.ts'
import { readConfig } from './config.ts'

const production = { ...development, NODE_ENV: 'production' }
const mail = { CAPSTAN_SMTP_URL: 'smtp://mail.example.org', CAPSTAN_SMTP_FROM: 'ctf@example.org' }

const anOrigin =
  'http:// or https:// and a host without a path: the platform must be at the root of its host, and a path such as /ctf/ does not work, for example https://ctf.example.org'
const missing = `CAPSTAN_PUBLIC_ORIGIN is missing, which CAPSTAN_SMTP_URL in production needs: it must be ${anOrigin}`

test('requires a public origin for mail in production, so that no request determines the host of mailed links', () => {
  expect(() => readConfig({ ...production, ...mail })).toThrow(missing)
  expect(() => readConfig({ ...production, ...mail, CAPSTAN_PUBLIC_ORIGIN: '' })).toThrow(missing)
  const origin = 'https://ctf.example.org'
  expect(readConfig({ ...production, ...mail, CAPSTAN_PUBLIC_ORIGIN: origin }).publicOrigin).toBe(origin)
})

test('allows a missing public origin in production without mail, and in development', () => {
  expect(readConfig(production).publicOrigin).toBeUndefined()
  expect(readConfig({ ...development, ...mail }).publicOrigin).toBeUndefined()
})

test.each(['ctf.example.org', 'ftp://ctf.example.org', 'https://', 'javascript:alert(1)'])(
  'refuses the public origin %s, and names the fault once',
  (value) => {
    expect(() => readConfig({ ...production, ...mail, CAPSTAN_PUBLIC_ORIGIN: value })).toThrow(
      new SettingsError([`CAPSTAN_PUBLIC_ORIGIN must be ${anOrigin}`]),
    )
  },
)

test.each([development, production])('requires the secrets that processes share, and never generates them', (environment) => {
  const { CAPSTAN_SECRET_KEY: _key, CAPSTAN_INTERNAL_TOKEN: _token, ...rest } = environment
  expect(() => readConfig(rest)).toThrow(
    new SettingsError([
      'CAPSTAN_SECRET_KEY is missing: it must be a secret, for example $(openssl rand -hex 24)',
      'CAPSTAN_INTERNAL_TOKEN is missing: it must be a secret of at least 16 characters, for example $(openssl rand -hex 24)',
    ]),
  )
})

test('uses the defaults of the README for missing optional variables', () => {
  expect(readConfig(development)).toEqual({
    host: '::',
    port: 8080,
    managementPort: undefined,
    databaseUrl: 'postgres://localhost/unused',
    databaseConnections: 20,
    redisUrl: undefined,
    trustedProxies: false,
    connectionsPerAddress: 2048,
    publicOrigin: undefined,
    rateLimits: true,
    secretKey: 'for development only',
    internalToken: 'shared by the tests alone',
    adminPassword: undefined,
    blobs: { kind: 'folder', folder: '.capstan/blobs' },
    maxAttachmentBytes: 536_870_912,
    smtp: undefined,
    captcha: { provider: 'None', siteKey: '', secretKey: '', verifyUrl: undefined, scoreThreshold: 0.5, difficulty: 18 },
    instances: {
      runtime: 'none',
      namespace: 'capstan-instances',
      exposure: 'Proxy',
      publicHost: undefined,
      readyTimeoutMs: 30_000,
      repairIntervalMs: 30_000,
      flagEnvironmentNames: [],
      imagePullSecrets: [],
      egress: 'None',
      securityProfile: 'Restricted',
      choices: { egress: ['None'], security: ['Restricted', 'Baseline'], exposure: ['Proxy'], maxContainers: 8 },
      runtimeClassName: undefined,
      capture: false,
      captureLimits: { maxSegmentMb: 8, maxSegmentSeconds: 30, maxStoredMb: 128 },
      captureInstanceMb: 2048,
      pidsLimit: 256,
      ways: { domain: undefined, web: 'https', webPort: undefined, tlsPort: undefined, ports: undefined },
    },
    connectionLog: { days: 90, rowsPerInstance: 1000 },
    signInSecrets: new Map(),
    outgoing: { allowed: [], blocked: [], http: false },
    logLevel: 'info',
    tracing: undefined,
    production: false,
    shutdownDelayMs: 10_000,
    teamTokenPrefix: 'TEAM_',
  })
})

test('requires the variables that a chosen option needs', () => {
  expect(() => readConfig({ ...development, CAPSTAN_BLOBS: 's3', CAPSTAN_SMTP_URL: 'smtp://mail.example.org' })).toThrow(
    new SettingsError([
      'CAPSTAN_SMTP_FROM is missing, which CAPSTAN_SMTP_URL needs: it must be a mail address, for example ctf@example.org',
      'CAPSTAN_S3_BUCKET is missing, which CAPSTAN_BLOBS=s3 needs: it must be the name of a bucket, for example capstan-files',
      'CAPSTAN_S3_ACCESS_KEY_ID is missing, which CAPSTAN_BLOBS=s3 needs: it must be a secret, for example $(openssl rand -hex 24)',
      'CAPSTAN_S3_SECRET_ACCESS_KEY is missing, which CAPSTAN_BLOBS=s3 needs: it must be a secret, for example $(openssl rand -hex 24)',
    ]),
  )
})

test.each([
  ['https://play.example.org', false],
  ['https://ctf.play.example.org', false],
  ['https://example.org', false],
  ['https://ctf.example.org', true],
  ['https://notplay.example.org', true],
])('decides whether the platform origin %s is valid with instances below play.example.org: %s', (publicOrigin, isTaken) => {
  const read = () =>
    readConfig({ ...development, CAPSTAN_PUBLIC_ORIGIN: publicOrigin, CAPSTAN_INSTANCES_DOMAIN: 'play.example.org' })
  if (isTaken) expect(read().instances.ways.domain).toBe('play.example.org')
  else expect(read).toThrow('CAPSTAN_INSTANCES_DOMAIN must be neither the host of CAPSTAN_PUBLIC_ORIGIN nor above or below it')
})

test('requires a domain for instances if a port range for instances is set', () => {
  expect(() => readConfig({ ...development, CAPSTAN_INSTANCES_PORTS: '31000-31099' })).toThrow(
    'CAPSTAN_INSTANCES_DOMAIN is missing, which CAPSTAN_INSTANCES_PORTS needs',
  )
})
