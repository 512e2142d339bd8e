import {
  createSettingKind,
  decimal,
  httpUrl,
  integer,
  list,
  milliseconds,
  oneOf,
  onOff,
  portKind,
  portRange,
  secret,
  siteOrigin,
  text,
  url,
} from './kinds.ts'
import type { SettingsReader } from './read.ts'
import { optional, required, type Values, withDefault } from './setting.ts'

/** Settings that several processes share, with the same meaning in all of them. */

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export const logLevel = withDefault('CAPSTAN_LOG_LEVEL', oneOf(logLevels, 'debug'), 'info', 'minimum level of log lines')

export const listening = {
  host: withDefault(
    'CAPSTAN_HOST',
    text('an address of this machine', '127.0.0.1'),
    '::',
    'address to listen on; `::` is every address of IPv4 and IPv6',
  ),
  port: withDefault('CAPSTAN_PORT', portKind(3000), 8080, 'port to listen on'),
  managementPort: optional(
    'CAPSTAN_MANAGEMENT_PORT',
    portKind(8081),
    'port of `/metrics`, `/livez` and `/readyz`: expose it to monitoring only; without it there are no metrics',
  ),
}

export const shutdownDelayMs = withDefault(
  'CAPSTAN_SHUTDOWN_DELAY_MS',
  milliseconds(5000),
  10_000,
  'time in ms for which a stopping process is not ready but still listens; a second signal ends the process at once',
)

export const leaving = {
  shutdownDelayMs,
  drainMs: withDefault(
    'CAPSTAN_DRAIN_MS',
    milliseconds(60_000),
    20_000,
    'maximum lifetime in ms of proxied connections after `CAPSTAN_SHUTDOWN_DELAY_MS`; one hour in the chart',
  ),
}

const redis = url(['redis:', 'rediss:'], 'redis://:password@redis:6379', { isSecret: true })

export const optionalRedisUrl = optional(
  'REDIS_URL',
  redis,
  'address of Redis; without it, only one process may run, which contains api, gateway and web',
)

export const redisUrl = required('REDIS_URL', redis, 'Redis through which gateways receive messages of the api')

export const internalToken = required(
  'CAPSTAN_INTERNAL_TOKEN',
  secret(16),
  'token by which the processes authenticate each other; the same for all processes',
)

export const operatorToken = optional(
  'CAPSTAN_OPERATOR_TOKEN',
  secret(16),
  'token by which the api fetches the output of containers from the operator; without it, admins cannot read that output',
)

export const terminals = withDefault(
  'CAPSTAN_TERMINALS',
  onOff('on'),
  'off',
  '`on` lets admins open terminals in containers of test instances; the operator needs the right to `pods/exec` for it',
  operatorToken.name,
)

export const apiUrl = required('CAPSTAN_API_URL', httpUrl('http://capstan-api:8080'), 'address of the api')

export const publicOrigin = optional(
  'CAPSTAN_PUBLIC_ORIGIN',
  siteOrigin('https://ctf.example.org'),
  'origin for links in emails and link previews, origin checks and the secure session cookie of HTTPS; by default the origin of each request; required in production with `CAPSTAN_SMTP_URL`',
)

export const rateLimits = withDefault('CAPSTAN_RATE_LIMITS', onOff('off'), 'on', 'rate limits; `off` is for load tests')

function namespaceName(example: string) {
  return text('the name of a namespace', example)
}

export const platformNamespace = required(
  'CAPSTAN_PLATFORM_NAMESPACE',
  namespaceName('capstan'),
  'namespace of the platform’s processes and of the operator’s Lease',
)

export const instanceNamespace = withDefault(
  'CAPSTAN_INSTANCE_NAMESPACE',
  namespaceName('arena'),
  'capstan-instances',
  'namespace of ChallengeInstances and their pods',
)

export const publicHost = optional(
  'CAPSTAN_INSTANCE_PUBLIC_HOST',
  text('a host name or address', 'play.example.org'),
  'host that players use for exposure `NodePort`; by default the pod’s node',
)

export const egress = withDefault(
  'CAPSTAN_INSTANCE_EGRESS',
  oneOf(['None', 'Dns', 'Internet'], 'Dns'),
  'None',
  'networks that instances can reach: `None`, `Dns` or `Internet`',
)

export const securityProfile = withDefault(
  'CAPSTAN_INSTANCE_SECURITY',
  oneOf(['Restricted', 'Baseline'], 'Baseline'),
  'Restricted',
  'security profile: `Restricted`, or `Baseline` for images that run as root',
)

export const runtimeClassName = optional(
  'CAPSTAN_INSTANCE_RUNTIME_CLASS',
  text('the name of a RuntimeClass', 'gvisor'),
  'RuntimeClass of instances, for a sandbox',
)

export const imagePullSecrets = optional(
  'CAPSTAN_IMAGE_PULL_SECRETS',
  list('names of Secrets', 'registry,mirror'),
  'Secrets in the namespace of instances, for registries of challenge images',
)

export const capturePort = withDefault(
  'CAPSTAN_CAPTURE_PORT',
  integer(1, 65_535, 19_200),
  19_100,
  'port of the recorder, which challenges cannot use',
)

/** Maximum number of ports. Every gateway listens on each of them. */
const maxInstancePorts = 2_048

const instancesDomain = createSettingKind(
  'a host name in lower case, without a label for an instance',
  'play.example.org',
  (given) => (given.length <= 200 && /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,9}$/.test(given) ? given : undefined),
)

const withDomain = 'CAPSTAN_INSTANCES_DOMAIN'

/**
 * Settings for connections to instances by host name, TLS or port. Connections over WebSockets need none of these
 * settings. Api and gateways need the same values, except for the TLS port.
 */
export const instanceWays = {
  domain: optional(
    'CAPSTAN_INSTANCES_DOMAIN',
    instancesDomain,
    'parent domain of the host names of instances, which point to the gateways; without it instances are reached only by WebSocket',
  ),
  tlsPort: optional(
    'CAPSTAN_INSTANCES_TLS_PORT',
    integer(1, 65_535, 1337),
    'port of the gateways for TLS by server name, including HTTPS; if a Service maps it to another port, set the api to the port that players use',
    withDomain,
  ),
  ports: optional(
    'CAPSTAN_INSTANCES_PORTS',
    portRange(maxInstancePorts, '31000-31099'),
    'ports of the gateways for plain TCP; an instance uses one of them for each of its TCP ports while it runs',
    withDomain,
  ),
}

/** Reports the domain as missing if one of the given settings needs it. */
export function requireInstanceDomain(reader: SettingsReader, given: Values<typeof instanceWays>): void {
  if (given.domain !== undefined) return
  if (given.tlsPort !== undefined) reader.miss(instanceWays.domain, instanceWays.tlsPort.name)
  else if (given.ports !== undefined) reader.miss(instanceWays.domain, instanceWays.ports.name)
}

const traces = {
  endpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    httpUrl('http://collector:4318'),
    'OTLP/HTTP endpoint that receives traces ([docs/operations.md](docs/operations.md#traces))',
  ),
}

const sampling = {
  sampleRatio: withDefault(
    'OTEL_TRACES_SAMPLER_ARG',
    decimal(0, 1, 0.1),
    1,
    'share of traces that are sent, from 0 to 1',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ),
}

export const tracing = { ...traces, ...sampling }

/**
 * Reads the settings of tracing.
 * @returns the endpoint and the sampling ratio, or undefined if tracing is off
 */
export function readTracingSettings(reader: SettingsReader): Readonly<{ endpoint: string; sampleRatio: number }> | undefined {
  const { endpoint } = reader.read(traces)
  return endpoint === undefined ? undefined : { endpoint, ...reader.read(sampling) }
}
