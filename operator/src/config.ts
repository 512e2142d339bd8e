import { hostname } from 'node:os'
import { readTracingSettings } from '@capstan/settings/common'
import { type Environment, readSettings, type SettingsReader } from '@capstan/settings/read'
import type { TracingConfig } from '@capstan/tracing/tracer'
import type { NodePortRange } from './challenge-instance/node-ports.ts'
import type { InstanceSettings } from './challenge-instance/settings.ts'
import type { GuardSettings } from './guards/guards.ts'
import { operatorSettings } from './settings.ts'

/** Configuration of the operator. It is read once from the environment variables of `settings.ts`. */
export interface Config {
  instanceNamespace: string
  platformNamespace: string
  /** Name of this process, which differs from the names of all other replicas. */
  identity: string
  healthPort: number
  /**
   * Port and token of the server from which the api gets the output of containers and terminals. Without a token, the
   * operator does not listen.
   */
  logs: { port: number; token: string | undefined; terminals: boolean }
  logLevel: string
  /** Settings of tracing. If undefined, tracing is off. */
  tracing: TracingConfig | undefined
  workers: number
  /** Ports for instances with exposure NodePort. If undefined, the API server chooses the ports. */
  nodePortRange: NodePortRange | undefined
  /** Selector of the pods that report the addresses of their nodes. Undefined if there are no such pods. */
  nodeReporters: string | undefined
  /** Names of the guards, which are the objects that must protect challenges. */
  guards: GuardSettings
  /** Kubernetes Services of the name servers that resolve the names of containers. */
  names: { closed: string | undefined; forwarding: string | undefined }
  instances: InstanceSettings
}

/** @throws SettingsError that lists every invalid setting */
export function readConfig(environment: Environment): Config {
  return readSettings(environment, (reader) => {
    const { identity = hostname(), ...given } = reader.read(operatorSettings.process)
    return {
      ...given,
      identity,
      tracing: readTracingSettings(reader),
      logs: reader.read(operatorSettings.logs),
      guards: reader.read(operatorSettings.guards),
      names: reader.read(operatorSettings.names),
      instances: readInstances(reader, given.platformNamespace),
    }
  })
}

function readInstances(reader: SettingsReader, platformNamespace: string): InstanceSettings {
  const {
    gatewayLabels,
    egressDeniedCidrs = [],
    nodeSelector = {},
    tolerations = [],
    ...given
  } = reader.read(operatorSettings.instances)
  const { cidrs = [], ...dns } = reader.read(operatorSettings.dns)
  return {
    ...given,
    proxySource: { namespace: platformNamespace, labels: gatewayLabels },
    dns: { ...dns, cidrs: [...cidrs] },
    names: 'off',
    egressDeniedCidrs: [...egressDeniedCidrs],
    clusterCidrs: undefined,
    nodeSelector,
    tolerations,
    requestPercent: reader.read(operatorSettings.requestPercent),
    capture: readCapture(reader, platformNamespace),
  }
}

function readCapture(reader: SettingsReader, platformNamespace: string): InstanceSettings['capture'] {
  const { image } = reader.read(operatorSettings.captureImage)
  if (image === undefined) return undefined
  const { collectorLabels, ...given } = reader.read(operatorSettings.capture)
  return { image, ...given, source: { namespace: platformNamespace, labels: collectorLabels } }
}
