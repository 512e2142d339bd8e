import { GatewayLimits } from '@capstan/contract/limits'
import { connectionsPerAddress, trustedProxies } from '@capstan/http/client'
import {
  apiUrl,
  instanceWays,
  internalToken,
  leaving,
  listening,
  logLevel,
  publicOrigin,
  rateLimits,
  redisUrl,
  tracing,
} from '@capstan/settings/common'
import { httpUrl, integer, secret, text } from '@capstan/settings/kinds'
import { optional, required, type SettingGroups, withDefault } from '@capstan/settings/setting'

const limit = integer(1, 1_000_000, 100)

/** Environment variables of the gateway process, in groups that are read together. */
export const gatewaySettings = {
  process: {
    ...listening,
    logLevel,
    trustedProxies,
    connectionsPerAddress,
    publicOrigin,
    apiUrl,
    redisUrl,
    internalToken,
    maxHubWaitingKb: withDefault(
      'CAPSTAN_HUB_WAITING_MAX_KB',
      integer(16, 65_536, 64, 'kilobytes'),
      256,
      'maximum unsent data of a slow live page, in kB; beyond it the page is dropped',
    ),
    ...leaving,
  },
  limits: {
    hubSockets: withDefault(
      'CAPSTAN_HUB_SOCKETS_MAX',
      limit,
      GatewayLimits.hubSockets,
      'maximum number of open live pages in a process',
    ),
    proxyConnections: withDefault(
      'CAPSTAN_PROXY_CONNECTIONS_MAX',
      limit,
      GatewayLimits.proxyConnections,
      'maximum number of open proxied connections in a process',
    ),
  },
  limitsPerClient: {
    isLimited: rateLimits,
    hubSocketsPerUser: withDefault(
      'CAPSTAN_HUB_SOCKETS_PER_USER',
      limit,
      GatewayLimits.hubSocketsPerUser,
      'maximum number of open live pages of a user in a process',
    ),
    hubSocketsPerAddress: withDefault(
      'CAPSTAN_HUB_SOCKETS_PER_ADDRESS',
      limit,
      GatewayLimits.hubSocketsPerAddress,
      'maximum number of open live pages of visitors behind one address in a process',
    ),
    hubAttemptsPerAddressMinute: withDefault(
      'CAPSTAN_HUB_ATTEMPTS_PER_ADDRESS_MINUTE',
      limit,
      GatewayLimits.hubAttemptsPerAddressMinute,
      'maximum number of live pages that one address opens per minute',
    ),
    proxyAttemptsPerInstanceMinute: withDefault(
      'CAPSTAN_PROXY_ATTEMPTS_PER_INSTANCE_MINUTE',
      limit,
      GatewayLimits.proxyAttemptsPerInstanceMinute,
      'maximum number of attempts per minute to connect to an instance, across all gateways',
    ),
    proxyAttemptsPerAddressMinute: withDefault(
      'CAPSTAN_PROXY_ATTEMPTS_PER_ADDRESS_MINUTE',
      limit,
      GatewayLimits.proxyAttemptsPerAddressMinute,
      'maximum number of attempts per minute from one address, across all gateways',
    ),
    instanceConnections: withDefault(
      'CAPSTAN_INSTANCE_CONNECTIONS_MAX',
      limit,
      GatewayLimits.instanceConnections,
      'maximum number of open connections to an instance by host name, TLS and port, across all gateways',
    ),
    instanceConnectionsPerAddress: withDefault(
      'CAPSTAN_INSTANCE_CONNECTIONS_PER_ADDRESS',
      limit,
      GatewayLimits.instanceConnectionsPerAddress,
      'maximum number of open connections from one address to an instance by host name, TLS and port, in a process',
    ),
  },
  ways: {
    ...instanceWays,
    certificate: optional(
      'CAPSTAN_INSTANCES_CERTIFICATE',
      text('a certificate and its chain, in PEM', '$(cat tls.crt)'),
      'certificate of all names below the domain, for `CAPSTAN_INSTANCES_TLS_PORT`; if it is in a file, a renewed one is used from the next handshake on',
      'CAPSTAN_INSTANCES_TLS_PORT',
    ),
    key: optional('CAPSTAN_INSTANCES_KEY', secret(), 'key of the certificate, in PEM', 'CAPSTAN_INSTANCES_TLS_PORT'),
  },
  tracing,
} satisfies SettingGroups

/** Environment variables of the check that `helm test` runs. */
export const liveCheckSettings = {
  process: {
    apiUrl,
    internalToken,
    siteUrl: required('CAPSTAN_SITE_URL', httpUrl('http://capstan-web'), 'address at which players open the site'),
  },
} satisfies SettingGroups
