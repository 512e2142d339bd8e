import { instanceNamespace, logLevel } from '@capstan/settings/common'
import { integer, onOff, portKind } from '@capstan/settings/kinds'
import { required, type SettingGroups, withDefault } from '@capstan/settings/setting'

/** All environment variables of the containers' name server. */
export const namesSettings = {
  process: {
    // This setting is required. With a wrong default, the server would know no containers and report no problem.
    instanceNamespace: required(instanceNamespace.name, instanceNamespace.kind, instanceNamespace.about),
    port: withDefault('CAPSTAN_NAMES_PORT', portKind(5353), 1053, 'port of the name server, for UDP and TCP'),
    healthPort: withDefault('CAPSTAN_HEALTH_PORT', portKind(8082), 8081, 'port of `/healthz`, `/readyz` and `/metrics`'),
    logLevel,
    forwards: withDefault(
      'CAPSTAN_NAMES_FORWARD',
      onOff('on'),
      'off',
      '`on`: forwards queries for other names to the name server that this process uses; only containers with egress may send queries',
    ),
    drainSeconds: withDefault(
      'CAPSTAN_NAMES_DRAIN_SECONDS',
      integer(0, 300, 10, 'seconds'),
      20,
      'time that a stopped server still answers, in seconds',
    ),
  },
} satisfies SettingGroups
