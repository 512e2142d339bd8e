import { SettingsError } from '@capstan/settings/read'
import { describe, expect, it } from 'vitest'
import { readConfig, readGatewayLimits } from './config.ts'
import { aCertificate } from './testing/reach-world.ts'

const required = {
  CAPSTAN_API_URL: 'http://capstan-api:8080',
  REDIS_URL: 'redis://:secret@redis:6379',
  CAPSTAN_INTERNAL_TOKEN: '0123456789abcdef',
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
  return []
}

describe('the configuration', () => {
  it('the configuration has defaults for everything except addresses and the secret', () => {
    expect(readConfig(required)).toEqual({
      host: '::',
      port: 8080,
      managementPort: undefined,
      apiUrl: 'http://capstan-api:8080',
      redisUrl: 'redis://:secret@redis:6379',
      internalToken: '0123456789abcdef',
      trustedProxies: false,
      connectionsPerAddress: 2_048,
      publicOrigin: undefined,
      maxHubWaitingBytes: 262_144,
      limits: {
        hubSockets: 15_000,
        hubSocketsPerAddress: 300,
        hubSocketsPerUser: 50,
        unfinishedHubSocketsPerAddress: 200,
        hubAttemptsPerAddressMinute: 3_000,
        proxyConnections: 10_000,
        proxyAttemptsPerInstanceMinute: 600,
        proxyAttemptsPerAddressMinute: 3_000,
        instanceConnections: 256,
        instanceConnectionsPerAddress: 64,
      },
      tlsPort: undefined,
      instancePorts: [],
      logLevel: 'info',
      shutdownDelayMs: 10_000,
      drainMs: 20_000,
    })
  })

  it('the configuration contains the values of the environment variables that are set', () => {
    const config = readConfig({
      ...required,
      CAPSTAN_PORT: '9000',
      CAPSTAN_TRUSTED_PROXIES: '10.0.0.0/8, loopback',
      CAPSTAN_PUBLIC_ORIGIN: 'https://ctf.example',
      CAPSTAN_HUB_WAITING_MAX_KB: '64',
      CAPSTAN_LOG_LEVEL: 'Debug',
    })
    expect(config).toMatchObject({
      port: 9_000,
      trustedProxies: ['10.0.0.0/8', 'loopback'],
      publicOrigin: 'https://ctf.example',
      maxHubWaitingBytes: 65_536,
      logLevel: 'debug',
    })
  })

  it('the client limits can also be read without the other environment variables', () => {
    const limits = {
      CAPSTAN_HUB_SOCKETS_MAX: '1',
      CAPSTAN_HUB_SOCKETS_PER_ADDRESS: '2',
      CAPSTAN_HUB_SOCKETS_PER_USER: '3',
      CAPSTAN_HUB_ATTEMPTS_PER_ADDRESS_MINUTE: '4',
      CAPSTAN_PROXY_CONNECTIONS_MAX: '5',
      CAPSTAN_PROXY_ATTEMPTS_PER_INSTANCE_MINUTE: '6',
      CAPSTAN_PROXY_ATTEMPTS_PER_ADDRESS_MINUTE: '7',
      CAPSTAN_INSTANCE_CONNECTIONS_MAX: '8',
      CAPSTAN_INSTANCE_CONNECTIONS_PER_ADDRESS: '9',
    }
    const expected = {
      hubSockets: 1,
      hubSocketsPerAddress: 2,
      hubSocketsPerUser: 3,
      unfinishedHubSocketsPerAddress: 200,
      hubAttemptsPerAddressMinute: 4,
      proxyConnections: 5,
      proxyAttemptsPerInstanceMinute: 6,
      proxyAttemptsPerAddressMinute: 7,
      instanceConnections: 8,
      instanceConnectionsPerAddress: 9,
    }
    expect(readConfig({ ...required, ...limits }).limits).toEqual(expected)
    expect(readGatewayLimits(limits)).toEqual(expected)
    expect(() => readGatewayLimits({ CAPSTAN_HUB_SOCKETS_MAX: '0' })).toThrow(
      'CAPSTAN_HUB_SOCKETS_MAX must be a whole number from 1 to 1000000, for example 100',
    )
  })

  it('attempts and connections per client are unlimited if rate limits are off', () => {
    const { hubSockets, proxyConnections, ...perClient } = readGatewayLimits({ CAPSTAN_RATE_LIMITS: 'off' })
    expect([hubSockets, proxyConnections]).toEqual([15_000, 10_000])
    expect(new Set(Object.values(perClient))).toEqual(new Set([1_000_000]))
  })

  it('the configuration is an immutable object', () => {
    expect(Object.isFrozen(readConfig(required))).toBe(true)
  })
})

describe('faults of the configuration', () => {
  it('all faults of the configuration are listed, without the faulty values', () => {
    const faults = faultsOf({
      CAPSTAN_PORT: '70000',
      CAPSTAN_API_URL: 'ftp://api',
      REDIS_URL: 'http://:secret@redis',
      CAPSTAN_INTERNAL_TOKEN: 'short',
      CAPSTAN_TRUSTED_PROXIES: 'everybody',
      CAPSTAN_LOG_LEVEL: 'loud',
      CAPSTAN_PUBLIC_ORIGIN: 'ctf.example',
    })
    expect(faults).toEqual([
      'CAPSTAN_PORT must be a whole number from 0 to 65535, for example 3000',
      'CAPSTAN_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, for example debug',
      'CAPSTAN_TRUSTED_PROXIES must be true, false, or addresses and networks, separated by commas, for example 10.0.0.0/8,192.0.2.7',
      'CAPSTAN_PUBLIC_ORIGIN must be http:// or https:// and a host without a path: the platform must be at the root of its host, and a path such as /ctf/ does not work, for example https://ctf.example.org',
      'CAPSTAN_API_URL must be an address that begins with http:// or https://, for example http://capstan-api:8080',
      'REDIS_URL must be an address that begins with redis:// or rediss://, for example redis://:password@redis:6379',
      'CAPSTAN_INTERNAL_TOKEN must be a secret of at least 16 characters, for example $(openssl rand -hex 24)',
    ])
  })

  it('faults of the configuration include missing environment variables', () => {
    expect(faultsOf({})).toEqual([
      'CAPSTAN_API_URL is missing: it must be an address that begins with http:// or https://, for example http://capstan-api:8080',
      'REDIS_URL is missing: it must be an address that begins with redis:// or rediss://, for example redis://:password@redis:6379',
      'CAPSTAN_INTERNAL_TOKEN is missing: it must be a secret of at least 16 characters, for example $(openssl rand -hex 24)',
    ])
  })
})

describe('access to instances', () => {
  const domain = { CAPSTAN_INSTANCES_DOMAIN: 'play.example.org' }

  it('access to instances uses host names if a domain is set, and TLS and ports if they are configured', async () => {
    const { certificate, key } = await aCertificate()
    expect(readConfig({ ...required, ...domain })).toMatchObject({
      ways: { domain: 'play.example.org' },
      tlsPort: undefined,
      instancePorts: [],
    })
    const all = {
      ...domain,
      ...{ CAPSTAN_INSTANCES_TLS_PORT: '1337', CAPSTAN_INSTANCES_CERTIFICATE: certificate, CAPSTAN_INSTANCES_KEY: key },
      CAPSTAN_INSTANCES_PORTS: '31000-31002',
    }
    expect(readConfig({ ...required, ...all })).toMatchObject({
      ways: { domain: 'play.example.org', tls: { certificate: certificate.trim(), key } },
      tlsPort: 1337,
      instancePorts: [31_000, 31_001, 31_002],
    })
    expect(faultsOf({ ...required, ...all, CAPSTAN_INSTANCES_PORTS: '1337' })).toEqual([
      'CAPSTAN_INSTANCES_TLS_PORT must not be one of CAPSTAN_INSTANCES_PORTS',
    ])
    expect(faultsOf({ ...required, ...all, CAPSTAN_INSTANCES_KEY: 'none' })).toEqual([
      'CAPSTAN_INSTANCES_CERTIFICATE and CAPSTAN_INSTANCES_KEY must be a certificate and its key, both in PEM',
    ])
  })

  it.each([
    [{ CAPSTAN_INSTANCES_PORTS: '31000-31002' }, ['CAPSTAN_INSTANCES_DOMAIN']],
    [{ ...domain, CAPSTAN_INSTANCES_TLS_PORT: '1337' }, ['CAPSTAN_INSTANCES_CERTIFICATE', 'CAPSTAN_INSTANCES_KEY']],
    [{ ...domain, CAPSTAN_INSTANCES_PORTS: '31002-31000' }, ['CAPSTAN_INSTANCES_PORTS']],
    [{ ...domain, CAPSTAN_INSTANCES_PORTS: '1-65535' }, ['CAPSTAN_INSTANCES_PORTS']],
    [{ CAPSTAN_INSTANCES_DOMAIN: 'Play.example.org' }, ['CAPSTAN_INSTANCES_DOMAIN']],
    [{ CAPSTAN_INSTANCES_DOMAIN: '*.example.org' }, ['CAPSTAN_INSTANCES_DOMAIN']],
  ])('access to instances cannot be configured with contradictory settings: %o', (given, names) => {
    expect(faultsOf({ ...required, ...given }).map((fault) => fault.split(' ')[0])).toEqual(names)
  })
})
