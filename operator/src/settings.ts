import {
  capturePort,
  instanceNamespace,
  logLevel,
  operatorToken,
  platformNamespace,
  publicHost,
  terminals,
  tracing,
} from '@capstan/settings/common'
import { integer, oneOf, portKind, text } from '@capstan/settings/kinds'
import { optional, type SettingGroups, withDefault } from '@capstan/settings/setting'
import { createLabelsSettingKind, createNetworksSettingKind, portRange, tolerations } from './setting-kinds.ts'

function percent(example: number) {
  return integer(1, 100, example, 'percent')
}
function objectName(resource: string, example: string) {
  return text(`the name of a ${resource}`, example)
}

const withCapture = 'CAPSTAN_CAPTURE_IMAGE'

export const guards = {
  networkPolicy: optional(
    'CAPSTAN_GUARD_NETWORK_POLICY',
    objectName('NetworkPolicy', 'default-deny'),
    'network policy that must deny all traffic of the instances’ namespace; the operator raises an alarm while it does not',
  ),
  quota: optional('CAPSTAN_GUARD_QUOTA', objectName('ResourceQuota', 'instances'), 'the same for the quota of that namespace'),
  admissionPolicy: optional(
    'CAPSTAN_GUARD_ADMISSION_POLICY',
    objectName('ValidatingAdmissionPolicy', 'capstan-instances'),
    'the same for an admission policy and its binding',
  ),
  podSecurity: optional(
    'CAPSTAN_GUARD_POD_SECURITY',
    oneOf(['baseline', 'restricted'], 'restricted'),
    'the same for the minimum Pod Security standard of the namespace, `baseline` or `restricted`',
  ),
}

/** All environment variables of the operator and of the uninstall job. Variables of a group are read together. */
export const operatorSettings = {
  process: {
    instanceNamespace,
    platformNamespace,
    identity: optional(
      'POD_NAME',
      text('the name of a pod', 'capstan-operator-0'),
      'name of this process in the Lease and in events; without it the host’s name',
    ),
    healthPort: withDefault('CAPSTAN_HEALTH_PORT', portKind(8082), 8081, 'port of `/healthz`, `/readyz` and `/metrics`'),
    logLevel,
    workers: withDefault('CAPSTAN_WORKERS', integer(1, 64, 16), 8, 'number of instances that are reconciled at the same time'),
    nodePortRange: optional(
      'CAPSTAN_NODE_PORT_RANGE',
      portRange,
      'range of node ports for exposure `NodePort`, inside the range of the API server; without it any port',
    ),
    nodeReporters: optional(
      'CAPSTAN_NODE_REPORTERS',
      text('a label selector', 'app.kubernetes.io/component=node-addresses'),
      'pods of the platform that report every address of their node; egress `Internet` never reaches these addresses',
    ),
  },
  logs: {
    token: operatorToken,
    port: withDefault(
      'CAPSTAN_LOGS_PORT',
      portKind(8083),
      8082,
      'port at which the api fetches the output of containers',
      operatorToken.name,
    ),
    terminals,
  },
  guards,
  instances: {
    publicHost,
    gatewayLabels: withDefault(
      'CAPSTAN_GATEWAY_LABELS',
      createLabelsSettingKind('app.kubernetes.io/component=gateway,app.kubernetes.io/instance=capstan'),
      'app.kubernetes.io/name=capstan,app.kubernetes.io/component=gateway',
      'pods of the platform that may reach challenges of exposure `Proxy`',
    ),
    egressDeniedCidrs: optional(
      'CAPSTAN_EGRESS_DENIED_CIDRS',
      createNetworksSettingKind('203.0.113.0/24,2001:db8::/32'),
      'further networks that egress `Internet` never reaches, besides private ranges, nodes, API servers, and networks of pods and services that Kubernetes knows',
    ),
    imagePullPolicy: withDefault(
      'CAPSTAN_IMAGE_PULL_POLICY',
      oneOf(['Always', 'IfNotPresent', 'Never'], 'Always'),
      'IfNotPresent',
      '`Always`, `IfNotPresent` or `Never`, for challenge images',
    ),
    terminationGraceSeconds: withDefault(
      'CAPSTAN_TERMINATION_GRACE_SECONDS',
      integer(0, 300, 5, 'seconds'),
      2,
      'time that a stopped challenge has to end, in seconds',
    ),
    schedulingGraceSeconds: withDefault(
      'CAPSTAN_SCHEDULING_GRACE_SECONDS',
      integer(0, 3600, 300, 'seconds'),
      10,
      'maximum time that a pod may wait for a node before it counts as failed, in seconds; raise it if an autoscaler adds nodes',
    ),
    nodeSelector: optional('CAPSTAN_NODE_SELECTOR', createLabelsSettingKind('pool=arena'), 'labels of nodes that run challenges'),
    tolerations: optional('CAPSTAN_INSTANCE_TOLERATIONS', tolerations, 'taints that challenges tolerate'),
    flagFileImage: optional(
      'CAPSTAN_FLAG_FILE_IMAGE',
      text('the name of an image', 'registry.example.org/ctf/operator:0.1.0'),
      'image of the operator, which writes flag files for owners other than root; without it root owns all flag files',
    ),
  },
  names: {
    closed: optional(
      'CAPSTAN_NAMES_SERVICE',
      objectName('Service', 'capstan-names'),
      'Service of the name server for instances with several containers; without it the containers cannot resolve each other’s names',
    ),
    forwarding: optional(
      'CAPSTAN_NAMES_FORWARD_SERVICE',
      objectName('Service', 'capstan-names-forward'),
      'Service of the name server for containers with egress; this server also forwards queries for other names',
    ),
  },
  dns: {
    namespace: withDefault(
      'CAPSTAN_DNS_NAMESPACE',
      text('the name of a namespace', 'dns'),
      'kube-system',
      'namespace of the cluster’s name servers, for egress `Dns` and `Internet`',
    ),
    labels: withDefault(
      'CAPSTAN_DNS_LABELS',
      createLabelsSettingKind('k8s-app=coredns'),
      'k8s-app=kube-dns',
      'labels of the cluster’s name servers',
    ),
    cidrs: optional(
      'CAPSTAN_DNS_CIDRS',
      createNetworksSettingKind('169.254.20.10/32'),
      'addresses of the cluster’s name servers if they are not pods (NodeLocal DNSCache)',
    ),
  },
  requestPercent: {
    cpu: withDefault(
      'CAPSTAN_CPU_REQUEST_PERCENT',
      percent(25),
      10,
      'share of a challenge’s CPU limit that is reserved, in percent',
    ),
    memory: withDefault(
      'CAPSTAN_MEMORY_REQUEST_PERCENT',
      percent(75),
      50,
      'share of a challenge’s memory limit that is reserved, in percent',
    ),
    storage: withDefault(
      'CAPSTAN_STORAGE_REQUEST_PERCENT',
      percent(25),
      10,
      'share of a challenge’s storage limit that is reserved, in percent',
    ),
  },
  captureImage: {
    image: optional(
      'CAPSTAN_CAPTURE_IMAGE',
      text('the name of an image', 'registry.example.org/ctf/capture:0.1.0'),
      'image of the recorder; without it nothing is recorded',
    ),
  },
  capture: {
    port: { ...capturePort, onlyWith: withCapture },
    memoryMb: withDefault(
      'CAPSTAN_CAPTURE_MEMORY_MB',
      integer(16, 1024, 64, 'megabytes'),
      32,
      'memory limit of the recorder',
      withCapture,
    ),
    cpuMillis: withDefault(
      'CAPSTAN_CAPTURE_CPU_MILLIS',
      integer(50, 16_000, 1000, 'thousandths of a core'),
      500,
      'CPU limit of the recorder',
      withCapture,
    ),
    collectorLabels: withDefault(
      'CAPSTAN_COLLECTOR_LABELS',
      createLabelsSettingKind('app.kubernetes.io/component=api,app.kubernetes.io/instance=capstan'),
      'app.kubernetes.io/name=capstan,app.kubernetes.io/component=api',
      'pods of the platform that may fetch recordings',
      withCapture,
    ),
    drainSeconds: withDefault(
      'CAPSTAN_CAPTURE_DRAIN_SECONDS',
      integer(1, 3600, 120, 'seconds'),
      60,
      'maximum time that an ended instance waits until its recordings are fetched, in seconds',
      withCapture,
    ),
    terminationGraceSeconds: withDefault(
      'CAPSTAN_CAPTURE_TERMINATION_GRACE_SECONDS',
      integer(1, 3600, 60, 'seconds'),
      30,
      'the same for a pod that another client deletes, in seconds',
      withCapture,
    ),
  },
  tracing,
} satisfies SettingGroups
