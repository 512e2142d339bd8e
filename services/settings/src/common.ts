import {
  decimal,
  httpUrl,
  integer,
  kind,
  list,
  milliseconds,
  oneOf,
  onOff,
  port,
  portRange,
  secret,
  siteOrigin,
  text,
  url,
} from './kinds.ts'
import type { SettingsReader } from './read.ts'
import { optional, required, type Values, withDefault } from './setting.ts'

/** Settings that several processes read, so that each means the same to all of them. */

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export const logLevel = withDefault('CAPSTAN_LOG_LEVEL', oneOf(logLevels, 'debug'), 'info', 'least level of what is logged')

export const listening = {
  host: withDefault(
    'CAPSTAN_HOST',
    text('an address of this machine', '127.0.0.1'),
    '::',
    'where to listen; `::` is every address of IPv4 and IPv6',
  ),
  port: withDefault('CAPSTAN_PORT', port(3000), 8080, 'where to listen'),
  managementPort: optional(
    'CAPSTAN_MANAGEMENT_PORT',
    port(8081),
    'port of `/metrics`, `/livez` and `/readyz`, for nobody but who watches over the process; without it there are no metrics',
  ),
}

export const leaving = {
  shutdownDelayMs: withDefault(
    'CAPSTAN_SHUTDOWN_DELAY_MS',
    milliseconds(5000),
    3000,
    'how long a process that ends is not ready but still listens; a second signal ends it at once',
  ),
  drainMs: withDefault(
    'CAPSTAN_DRAIN_MS',
    milliseconds(60_000),
    20_000,
    'how long proxied connections may go on after that; in the chart an hour',
  ),
}

const redis = url(['redis:', 'rediss:'], 'redis://:password@redis:6379', { isSecret: true })

export const optionalRedisUrl = optional('REDIS_URL', redis, 'without it one process of each kind may run, together')

export const redisUrl = required('REDIS_URL', redis, 'where a gateway hears the api')

export const internalToken = required(
  'CAPSTAN_INTERNAL_TOKEN',
  secret(16),
  'by which the processes know each other: the same for all of them',
)

export const apiUrl = required('CAPSTAN_API_URL', httpUrl('http://capstan-api:8080'), 'where the api is')

export const publicOrigin = optional(
  'CAPSTAN_PUBLIC_ORIGIN',
  siteOrigin('https://ctf.example.org'),
  'for links in mails, origin checks and the safe session cookie of HTTPS; without it what a request says; required in production with `CAPSTAN_SMTP_URL`',
)

export const rateLimits = withDefault('CAPSTAN_RATE_LIMITS', onOff('off'), 'on', '`off` for load tests')

const namespaceName = (example: string) => text('the name of a namespace', example)

export const platformNamespace = required(
  'CAPSTAN_PLATFORM_NAMESPACE',
  namespaceName('capstan'),
  'namespace of the platform’s own processes and of the operator’s Lease',
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
  'host that players use for exposure `NodePort`; without it the pod’s node',
)

export const egress = withDefault(
  'CAPSTAN_INSTANCE_EGRESS',
  oneOf(['None', 'Dns', 'Internet'], 'Dns'),
  'None',
  'what instances reach: `None`, `Dns` or `Internet`',
)

export const securityProfile = withDefault(
  'CAPSTAN_INSTANCE_SECURITY',
  oneOf(['Restricted', 'Baseline'], 'Baseline'),
  'Restricted',
  '`Restricted`, or `Baseline` for images that run as root',
)

export const runtimeClassName = optional(
  'CAPSTAN_INSTANCE_RUNTIME_CLASS',
  text('the name of a RuntimeClass', 'gvisor'),
  'sandbox that instances run in',
)

export const imagePullSecrets = optional(
  'CAPSTAN_IMAGE_PULL_SECRETS',
  list('names of Secrets', 'registry,mirror'),
  'Secrets of the instances’ namespace for registries of challenge images',
)

export const capturePort = withDefault(
  'CAPSTAN_CAPTURE_PORT',
  integer(1, 65_535, 19_200),
  19_100,
  'port of the recorder, which no challenge can use',
)

/** Every gateway listens on each of them. */
const instancePortsMax = 2_048

/** Below it every instance has a host of its own. */
const instancesDomain = kind('a host name in lower case, without the name of any instance', 'play.example.org', (given) =>
  given.length <= 200 && /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,9}$/.test(given) ? given : undefined,
)

const withDomain = 'CAPSTAN_INSTANCES_DOMAIN'

/** Ways to instances through the gateways beside WebSockets, as api and gateways must know them alike but for the port of TLS. */
export const instanceWays = {
  domain: optional(
    'CAPSTAN_INSTANCES_DOMAIN',
    instancesDomain,
    'below it every instance has a host name of its own, which leads to the gateways; without it instances are reached by WebSocket alone',
  ),
  tlsPort: optional(
    'CAPSTAN_INSTANCES_TLS_PORT',
    integer(1, 65_535, 1337),
    'port of the gateways for TLS by server name, HTTPS too; for the api the one that players come to, where a Service leads from that to another',
    withDomain,
  ),
  ports: optional(
    'CAPSTAN_INSTANCES_PORTS',
    portRange(instancePortsMax, '31000-31099'),
    'ports of the gateways for plain TCP: each instance has one of them while it lives',
    withDomain,
  ),
}

/** Refuses what makes no sense without a domain. */
export function checkInstanceWays(reader: SettingsReader, given: Values<typeof instanceWays>): void {
  if (given.domain !== undefined) return
  if (given.tlsPort !== undefined) reader.miss(instanceWays.domain, instanceWays.tlsPort.name)
  else if (given.ports !== undefined) reader.miss(instanceWays.domain, instanceWays.ports.name)
}

const traces = {
  endpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    httpUrl('http://collector:4318'),
    'where traces are sent by OTLP/HTTP ([docs/operations.md](docs/operations.md#traces))',
  ),
}

const sampling = {
  sampleRatio: withDefault(
    'OTEL_TRACES_SAMPLER_ARG',
    decimal(0, 1, 0.1),
    1,
    'share of traces that are sent',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ),
}

export const tracing = { ...traces, ...sampling }

/** Where traces are sent, and which share of them; undefined: none are. */
export function readTracing(reader: SettingsReader): { readonly endpoint: string; readonly sampleRatio: number } | undefined {
  const { endpoint } = reader.read(traces)
  return endpoint === undefined ? undefined : { endpoint, ...reader.read(sampling) }
}
