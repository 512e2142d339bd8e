import { GatewayLimits } from '@capstan/contract/limits'
import { trustedProxies } from '@capstan/http/client'
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

/** Variables of the gateway process. Each group is read together. */
export const gatewaySettings = {
  process: {
    ...listening,
    logLevel,
    trustedProxies,
    publicOrigin,
    apiUrl,
    redisUrl,
    internalToken,
    maxHubWaitingKb: withDefault(
      'CAPSTAN_HUB_WAITING_MAX_KB',
      integer(16, 65_536, 64, 'kilobytes'),
      256,
      'how much may wait for a slow live page before it is let go',
    ),
    ...leaving,
  },
  limits: {
    hubSockets: withDefault('CAPSTAN_HUB_SOCKETS_MAX', limit, GatewayLimits.hubSockets, 'live pages open at once in a process'),
    proxyConnections: withDefault(
      'CAPSTAN_PROXY_CONNECTIONS_MAX',
      limit,
      GatewayLimits.proxyConnections,
      'proxied connections open at once in a process',
    ),
  },
  limitsPerClient: {
    isLimited: rateLimits,
    hubSocketsPerUser: withDefault(
      'CAPSTAN_HUB_SOCKETS_PER_USER',
      limit,
      GatewayLimits.hubSocketsPerUser,
      'live pages of a user open at once in a process',
    ),
    hubSocketsPerAddress: withDefault(
      'CAPSTAN_HUB_SOCKETS_PER_ADDRESS',
      limit,
      GatewayLimits.hubSocketsPerAddress,
      'live pages of visitors behind one address open at once in a process',
    ),
    hubAttemptsPerAddressMinute: withDefault(
      'CAPSTAN_HUB_ATTEMPTS_PER_ADDRESS_MINUTE',
      limit,
      GatewayLimits.hubAttemptsPerAddressMinute,
      'live pages that one address may open in a minute',
    ),
    proxyAttemptsPerInstanceMinute: withDefault(
      'CAPSTAN_PROXY_ATTEMPTS_PER_INSTANCE_MINUTE',
      limit,
      GatewayLimits.proxyAttemptsPerInstanceMinute,
      'attempts on proxied connections of an instance, over all gateways',
    ),
    proxyAttemptsPerAddressMinute: withDefault(
      'CAPSTAN_PROXY_ATTEMPTS_PER_ADDRESS_MINUTE',
      limit,
      GatewayLimits.proxyAttemptsPerAddressMinute,
      'attempts on proxied connections from one address, over all gateways',
    ),
    instanceConnections: withDefault(
      'CAPSTAN_INSTANCE_CONNECTIONS_MAX',
      limit,
      GatewayLimits.instanceConnections,
      'connections to an instance by host name, TLS and port open at once, over all gateways',
    ),
    instanceConnectionsPerAddress: withDefault(
      'CAPSTAN_INSTANCE_CONNECTIONS_PER_ADDRESS',
      limit,
      GatewayLimits.instanceConnectionsPerAddress,
      'of these, connections from one address, in a process',
    ),
  },
  ways: {
    ...instanceWays,
    certificate: optional(
      'CAPSTAN_INSTANCES_CERTIFICATE',
      text('a certificate and those that it stands on, in PEM', '$(cat tls.crt)'),
      'for `CAPSTAN_INSTANCES_TLS_PORT`: the certificate of every name below the domain; from a file, a renewed one is used from the next handshake on',
      'CAPSTAN_INSTANCES_TLS_PORT',
    ),
    key: optional('CAPSTAN_INSTANCES_KEY', secret(), 'its key, in PEM', 'CAPSTAN_INSTANCES_TLS_PORT'),
  },
  tracing,
} satisfies SettingGroups

/** Variables of the check for `helm test`. */
export const liveCheckSettings = {
  process: {
    apiUrl,
    internalToken,
    siteUrl: required('CAPSTAN_SITE_URL', httpUrl('http://capstan-web'), 'where players open the site'),
  },
} satisfies SettingGroups
