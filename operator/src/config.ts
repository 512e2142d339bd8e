import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { readTracingConfig, type TracingConfig } from '@capstan/tracing/tracer'
import type { NodePortRange } from './challenge-instance/node-ports.ts'
import type { InstanceSettings, Toleration } from './challenge-instance/settings.ts'
import { type GuardSettings, readGuardSettings } from './guards/guards.ts'

/** The operator's configuration: read once from the environment, then handed down. */
export interface Config {
  /** Namespace of ChallengeInstances and their pods. */
  instanceNamespace: string
  /** Namespace of the platform's own processes and of the leader's Lease. */
  platformNamespace: string
  /** Name of this process among its replicas. */
  identity: string
  healthPort: number
  logLevel: string
  /** Absent: no traces. */
  tracing: TracingConfig | undefined
  /** How many instances are worked on at once. */
  workers: number
  /** Ports for instances of exposure NodePort; left to the API server if absent. */
  nodePortRange: NodePortRange | undefined
  /** What must be in place around challenges. */
  guards: GuardSettings
  instances: InstanceSettings
}

/** Wrong configuration; the message lists every fault. */
export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(`The configuration is not valid:\n${faults.map((fault) => `- ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const pullPolicies = ['Always', 'IfNotPresent', 'Never'] as const
const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const

/**
 * Reads the configuration. Throws a ConfigError that lists all faults.
 *
 * | Variable | Default | |
 * |---|---|---|
 * | CAPSTAN_INSTANCE_NAMESPACE | capstan-instances | namespace of ChallengeInstances and their pods |
 * | CAPSTAN_PLATFORM_NAMESPACE | required | namespace of gateway, api and the operator's Lease |
 * | CAPSTAN_GATEWAY_LABELS | app.kubernetes.io/name=capstan,app.kubernetes.io/component=gateway | pods there that may reach challenges of exposure Proxy, `name=value,…` |
 * | CAPSTAN_INSTANCE_PUBLIC_HOST | the pod's node | host that players use for exposure NodePort |
 * | CAPSTAN_NODE_PORT_RANGE | any | ports that instances of exposure NodePort get, `30000-30099`, within those of the API server |
 * | CAPSTAN_DNS_NAMESPACE, CAPSTAN_DNS_LABELS | kube-system, k8s-app=kube-dns | the cluster's name servers, for egress Dns and Internet |
 * | CAPSTAN_DNS_CIDRS | none | their addresses where they are no pods (NodeLocal DNSCache), comma-separated CIDRs |
 * | CAPSTAN_EGRESS_DENIED_CIDRS | none | what egress Internet never reaches besides private ranges, nodes, API server, and the networks of pods and services that Kubernetes knows |
 * | CAPSTAN_IMAGE_PULL_POLICY | IfNotPresent | Always, IfNotPresent or Never, for challenge images |
 * | CAPSTAN_CPU_REQUEST_PERCENT | 10 | share of the CPU limit that is reserved |
 * | CAPSTAN_MEMORY_REQUEST_PERCENT | 50 | share of the memory limit that is reserved |
 * | CAPSTAN_STORAGE_REQUEST_PERCENT | 10 | share of the storage limit that is reserved |
 * | CAPSTAN_TERMINATION_GRACE_SECONDS | 2 | time a stopped challenge has to end by itself |
 * | CAPSTAN_SCHEDULING_GRACE_SECONDS | 10 | how long a pod may wait for a node before this counts as failed; more where an autoscaler adds nodes |
 * | CAPSTAN_NODE_SELECTOR | none | labels of nodes that run challenges, `name=value,…` |
 * | CAPSTAN_INSTANCE_TOLERATIONS | none | taints that challenges tolerate, a JSON array of Kubernetes tolerations |
 * | CAPSTAN_CAPTURE_IMAGE | none | image of the sidecar that records traffic (operator/capture); without it nothing is recorded |
 * | CAPSTAN_CAPTURE_PORT | 19100 | its port, which no challenge can use |
 * | CAPSTAN_CAPTURE_MEMORY_MB | 32 | its memory limit |
 * | CAPSTAN_CAPTURE_CPU_MILLIS | 500 | its CPU limit, in thousandths of a core |
 * | CAPSTAN_COLLECTOR_LABELS | app.kubernetes.io/name=capstan,app.kubernetes.io/component=api | pods of the platform that may fetch recordings |
 * | CAPSTAN_CAPTURE_DRAIN_SECONDS | 60 | how long an ended instance waits for its recordings to be fetched |
 * | CAPSTAN_CAPTURE_TERMINATION_GRACE_SECONDS | 30 | the same for a pod that is deleted by others |
 * | CAPSTAN_GUARD_NETWORK_POLICY | none | network policy of the instances' namespace that denies everything; an alarm is raised while it does not |
 * | CAPSTAN_GUARD_QUOTA | none | the same for a quota of that namespace |
 * | CAPSTAN_GUARD_ADMISSION_POLICY | none | the same for an admission policy and its binding of that name |
 * | CAPSTAN_GUARD_POD_SECURITY | none | the same for the Pod Security standard that the namespace enforces at least, baseline or restricted |
 * | CAPSTAN_WORKERS | 8 | instances worked on at once |
 * | CAPSTAN_HEALTH_PORT | 8081 | port of /healthz, /readyz and /metrics |
 * | CAPSTAN_LOG_LEVEL | info | trace, debug, info, warn, error, fatal or silent |
 * | OTEL_EXPORTER_OTLP_ENDPOINT | none | where traces are sent by OTLP/HTTP, for example http://collector:4318 |
 * | OTEL_TRACES_SAMPLER_ARG | 1 | share of traces that are sent, 0 to 1 |
 * | POD_NAME | the host's name | name of this process in the Lease and in events |
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const text = (name: string, otherwise: string): string => environment[name]?.trim() || otherwise

  function required(name: string): string {
    const value = text(name, '')
    if (value === '') faults.push(`${name} is required`)
    return value
  }

  function integer(name: string, otherwise: number, least: number, most: number): number {
    const value = Number(text(name, String(otherwise)))
    if (!Number.isInteger(value) || value < least || value > most)
      faults.push(`${name} must be an integer from ${least} to ${most}`)
    return value
  }

  function oneOf<T extends string>(name: string, choices: readonly T[], otherwise: T): T {
    const value = text(name, otherwise)
    const choice = choices.find((each) => each === value)
    if (choice === undefined) faults.push(`${name} must be one of ${choices.join(', ')}`)
    return choice ?? otherwise
  }

  function labels(name: string, otherwise: string): Record<string, string> {
    const pairs = list(name, otherwise).map((pair) => pair.split('='))
    if (pairs.some((pair) => pair.length !== 2 || pair[0] === '')) faults.push(`${name} must be name=value, separated by commas`)
    return Object.fromEntries(pairs.map(([label, value]) => [label, value ?? '']))
  }

  function list(name: string, otherwise: string): string[] {
    return text(name, otherwise)
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  }

  function cidrs(name: string): string[] {
    const values = list(name, '')
    for (const value of values) if (!isCidr(value)) faults.push(`${name}: ${value} is not a CIDR like 192.0.2.0/24`)
    return values
  }

  function tolerations(name: string): Toleration[] {
    const value = parseJson(text(name, '[]'))
    if (Array.isArray(value) && value.every(isToleration)) return value
    faults.push(
      `${name} must be a JSON array of Kubernetes tolerations like [{"key":"pool","operator":"Equal","value":"arena","effect":"NoSchedule"}]`,
    )
    return []
  }

  function portRange(name: string): NodePortRange | undefined {
    const value = text(name, '')
    if (value === '') return undefined
    const [, first, last] = (/^([0-9]+)-([0-9]+)$/.exec(value) ?? []).map(Number)
    if (first !== undefined && last !== undefined && first >= 1 && first <= last && last <= 65_535) return { first, last }
    faults.push(`${name} must be two ports like 30000-30099, the smaller one first`)
    return undefined
  }

  const captureImage = text('CAPSTAN_CAPTURE_IMAGE', '')
  const config: Config = {
    instanceNamespace: text('CAPSTAN_INSTANCE_NAMESPACE', 'capstan-instances'),
    platformNamespace: required('CAPSTAN_PLATFORM_NAMESPACE'),
    identity: text('POD_NAME', hostname()),
    healthPort: integer('CAPSTAN_HEALTH_PORT', 8081, 0, 65535),
    tracing: readTracingConfig(environment, faults),
    logLevel: oneOf('CAPSTAN_LOG_LEVEL', logLevels, 'info'),
    workers: integer('CAPSTAN_WORKERS', 8, 1, 64),
    nodePortRange: portRange('CAPSTAN_NODE_PORT_RANGE'),
    guards: readGuardSettings(environment, faults),
    instances: {
      publicHost: environment.CAPSTAN_INSTANCE_PUBLIC_HOST?.trim() || undefined,
      proxySource: {
        namespace: text('CAPSTAN_PLATFORM_NAMESPACE', ''),
        labels: labels('CAPSTAN_GATEWAY_LABELS', 'app.kubernetes.io/name=capstan,app.kubernetes.io/component=gateway'),
      },
      dns: {
        namespace: text('CAPSTAN_DNS_NAMESPACE', 'kube-system'),
        labels: labels('CAPSTAN_DNS_LABELS', 'k8s-app=kube-dns'),
        cidrs: cidrs('CAPSTAN_DNS_CIDRS'),
      },
      egressDeniedCidrs: cidrs('CAPSTAN_EGRESS_DENIED_CIDRS'),
      clusterCidrs: undefined,
      imagePullPolicy: oneOf('CAPSTAN_IMAGE_PULL_POLICY', pullPolicies, 'IfNotPresent'),
      requestPercent: {
        cpu: integer('CAPSTAN_CPU_REQUEST_PERCENT', 10, 1, 100),
        memory: integer('CAPSTAN_MEMORY_REQUEST_PERCENT', 50, 1, 100),
        storage: integer('CAPSTAN_STORAGE_REQUEST_PERCENT', 10, 1, 100),
      },
      terminationGraceSeconds: integer('CAPSTAN_TERMINATION_GRACE_SECONDS', 2, 0, 300),
      schedulingGraceSeconds: integer('CAPSTAN_SCHEDULING_GRACE_SECONDS', 10, 0, 3600),
      nodeSelector: labels('CAPSTAN_NODE_SELECTOR', ''),
      tolerations: tolerations('CAPSTAN_INSTANCE_TOLERATIONS'),
      capture:
        captureImage === ''
          ? undefined
          : {
              image: captureImage,
              port: integer('CAPSTAN_CAPTURE_PORT', 19_100, 1, 65_535),
              memoryMb: integer('CAPSTAN_CAPTURE_MEMORY_MB', 32, 16, 1024),
              cpuMillis: integer('CAPSTAN_CAPTURE_CPU_MILLIS', 500, 50, 16_000),
              source: {
                namespace: text('CAPSTAN_PLATFORM_NAMESPACE', ''),
                labels: labels('CAPSTAN_COLLECTOR_LABELS', 'app.kubernetes.io/name=capstan,app.kubernetes.io/component=api'),
              },
              drainSeconds: integer('CAPSTAN_CAPTURE_DRAIN_SECONDS', 60, 1, 3600),
              terminationGraceSeconds: integer('CAPSTAN_CAPTURE_TERMINATION_GRACE_SECONDS', 30, 1, 3600),
            },
    },
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(config)
}

/** An IPv4 or IPv6 network that is smaller than all addresses, as a network policy's exception must be. */
function isCidr(text: string): boolean {
  const match = /^([0-9a-fA-F.:]+)\/([0-9]{1,3})$/.exec(text)
  const [, address, length] = match ?? []
  if (address === undefined) return false
  const family = isIP(address)
  return family !== 0 && Number(length) >= 1 && Number(length) <= (family === 4 ? 32 : 128)
}

/** What the text says; undefined if it is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the API server takes it: with one that it refuses, no pod could be made at all. */
function isToleration(value: unknown): value is Toleration {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { key, operator = 'Equal', value: wanted, effect, tolerationSeconds, ...unknown } = value as Record<string, unknown>
  if (Object.keys(unknown).length > 0) return false
  const isText = (part: unknown) => part === undefined || typeof part === 'string'
  if (!isText(key) || !isText(wanted)) return false
  if (operator !== 'Exists' && (operator !== 'Equal' || !key)) return false
  if (operator === 'Exists' && wanted) return false
  if (effect !== undefined && effect !== '' && !taintEffects.some((each) => each === effect)) return false
  return tolerationSeconds === undefined || (Number.isInteger(tolerationSeconds) && effect === 'NoExecute')
}
