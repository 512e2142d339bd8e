import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import {
  challengeLabel,
  gameLabel,
  instanceIdLabel,
  instanceLabel,
  participationLabel,
  teamLabel,
} from '@capstan/challenge-instance/labels'
import { describe, expect, it } from 'vitest'
import { anInstance, anOwnerReference, captureSettings, someSettings } from '../../testing/builders.ts'
import { desiredObjects } from './index.ts'
import { privateIpv4, privateIpv6 } from './network-policy.ts'
import type { ContainerSpec } from './pod.ts'
import { createAdoptionPatch, isFlagSecretOfInstance, isSecretOwnedBy } from './secret.ts'

interface PodShape {
  containers: ContainerSpec[]
  dnsPolicy: string
  [field: string]: unknown
}
interface PolicyShape {
  ingress: object[]
  egress?: { to: { ipBlock?: { cidr: string; except?: string[] } }[]; ports?: object[] }[]
  policyTypes: string[]
}

function build(spec: Partial<ChallengeInstanceSpec> = {}, changes = {}) {
  return desiredObjects(anInstance(spec), someSettings(changes), 0)
}
function podOf(...args: Parameters<typeof build>) {
  return build(...args).pod.spec as PodShape
}
function policyOf(...args: Parameters<typeof build>) {
  return build(...args).networkPolicy.spec as PolicyShape
}

describe('the objects of an instance', () => {
  it('the objects have the name and labels of their instance and refer to the instance as the owner, but do not contain its UUID', () => {
    const labels = { [instanceIdLabel]: '5c1a1a52-6d1c-4e4f-9a4e-000000000001' }
    const instance = anInstance({ exposure: 'NodePort' }, { metadata: { ...anInstance().metadata, labels } })
    const objects = Object.values(desiredObjects(instance, someSettings({ capture: captureSettings }), 0))
    expect(objects.map(({ kind }) => kind)).toEqual(['Pod', 'Service', 'NetworkPolicy'])
    expect(JSON.stringify(objects)).not.toContain(labels[instanceIdLabel])
    for (const object of objects) {
      expect(object.metadata).toMatchObject({ name: 'ci-1', namespace: 'arena', ownerReferences: [anOwnerReference(instance)] })
      expect(object.metadata.labels).toEqual({
        'app.kubernetes.io/name': 'capstan-challenge',
        'app.kubernetes.io/managed-by': 'capstan-operator',
        'app.kubernetes.io/part-of': 'capstan',
        [instanceLabel]: 'ci-1',
        [gameLabel]: '1',
        [challengeLabel]: '2',
        [participationLabel]: '3',
        [teamLabel]: '7',
      })
    }
  })

  it('the objects of a test instance have no team', () => {
    const { teamId: _team, participationId: _participation, ...spec } = anInstance().spec
    const instance = { ...anInstance(), spec }
    const { pod } = desiredObjects(instance, someSettings(), 0)
    expect(pod.metadata.labels).not.toHaveProperty(teamLabel)
    expect((pod.spec as PodShape).containers[0]?.env).toEqual([{ name: 'TEAM_ID', value: 'admin' }])
  })
})

describe('the pod', () => {
  it('has no token, service links, privileges or namespaces of the node', () => {
    const spec = podOf()
    expect(spec).toMatchObject({
      restartPolicy: 'Always',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 2,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(spec.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'] },
      runAsNonRoot: true,
    })
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'volumes', 'initContainers']) expect(spec).not.toHaveProperty(field)
  })

  it('may run as root if the profile is Baseline, but still has no capabilities', () => {
    expect(podOf({ security: { profile: 'Baseline' } }).containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      capabilities: { drop: ['ALL'] },
    })
  })

  it('has limits for processor, memory and storage, and requests a share of each', () => {
    expect(podOf({ resources: { cpuTenths: 15, memoryMb: 300, storageMb: 1000, pids: 64 } }).containers[0]?.resources).toEqual({
      limits: { cpu: '1500m', memory: '300Mi', 'ephemeral-storage': '1000Mi' },
      requests: { cpu: '150m', memory: '150Mi', 'ephemeral-storage': '100Mi' },
    })
  })

  it('the pod reads the flag from its Secret into every configured environment variable', () => {
    const [container] = podOf({ flag: { secretName: 'ci-1', environmentNames: ['FLAG', 'CTF_FLAG'] } }).containers
    const valueFrom = { secretKeyRef: { name: 'ci-1', key: 'flag' } }
    expect(container?.env).toEqual([
      { name: 'TEAM_ID', value: '7' },
      { name: 'FLAG', valueFrom },
      { name: 'CTF_FLAG', valueFrom },
    ])
  })

  it('the pod is ready once its port accepts connections', () => {
    expect(podOf({ port: 8080 }).containers[0]).toMatchObject({
      ports: [{ containerPort: 8080, protocol: 'TCP' }],
      readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    })
  })

  it('has a DNS server only if the egress permits look-ups', () => {
    expect(podOf()).toMatchObject({ dnsPolicy: 'None', dnsConfig: { nameservers: ['127.0.0.1'] } })
    expect(podOf({ egress: 'Dns' })).toMatchObject({ dnsPolicy: 'ClusterFirst' })
  })

  it('tolerates the configured taints', () => {
    const tolerations = [{ key: 'pool', operator: 'Exists', effect: 'NoSchedule' }]
    expect(podOf({}, { tolerations })).toMatchObject({ tolerations })
    expect(podOf()).not.toHaveProperty('tolerations')
  })

  it('has the configured pull secrets, runtime class and node selector', () => {
    expect(
      podOf(
        { imagePullSecrets: ['registry'], security: { profile: 'Restricted', runtimeClassName: 'gvisor' } },
        { nodeSelector: { pool: 'arena' } },
      ),
    ).toMatchObject({ imagePullSecrets: [{ name: 'registry' }], runtimeClassName: 'gvisor', nodeSelector: { pool: 'arena' } })
  })
})

describe('the service', () => {
  it('selects the one pod of the instance if the exposure is NodePort', () => {
    expect(build({ exposure: 'NodePort' }).service?.spec).toMatchObject({
      type: 'NodePort',
      selector: { [instanceLabel]: 'ci-1' },
      ports: [{ port: 1337, targetPort: 1337, protocol: 'TCP' }],
    })
  })

  it('an instance has no Kubernetes Service if only the gateway connects to the instance', () => {
    expect(Object.keys(build({ exposure: 'Proxy' }))).toEqual(['pod', 'networkPolicy'])
  })
})

describe('the network policy', () => {
  it('permits connections only from the gateway by default, and denies all egress', () => {
    expect(build().networkPolicy.spec).toEqual({
      podSelector: { matchLabels: { [instanceLabel]: 'ci-1' } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'platform' } },
              podSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } },
            },
          ],
          ports: [{ port: 1337, protocol: 'TCP' }],
        },
      ],
    })
  })

  it('permits connections from all clients, but only to the challenge’s port, if the exposure is NodePort', () => {
    expect(policyOf({ exposure: 'NodePort' }).ingress).toEqual([{ ports: [{ port: 1337, protocol: 'TCP' }] }])
  })

  it('allows only the DNS servers on port 53 if the egress is Dns', () => {
    const { egress } = policyOf(
      { egress: 'Dns' },
      { dns: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' }, cidrs: ['169.254.20.10/32'] } },
    )
    expect(egress).toEqual([
      {
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
            podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          },
          { ipBlock: { cidr: '169.254.20.10/32' } },
        ],
        ports: [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
        ],
      },
    ])
  })

  it('denies private ranges, the metadata address and configured networks if the egress is Internet', () => {
    const { egress } = policyOf(
      { egress: 'Internet' },
      { egressDeniedCidrs: ['203.0.113.7/32', '2001:db8::7/128', '203.0.113.7/32'] },
    )
    const blocks = egress?.[1]?.to.map(({ ipBlock }) => ipBlock)
    expect(blocks?.[0]).toEqual({ cidr: '0.0.0.0/0', except: [...privateIpv4, '203.0.113.7/32'] })
    expect(blocks?.[1]).toEqual({ cidr: '::/0', except: [...privateIpv6, '2001:db8::7/128'] })
  })

  it('denies public addresses of nodes and API servers if the egress is Internet', () => {
    const { egress } = policyOf(
      { egress: 'Internet' },
      { clusterCidrs: ['10.250.0.1/32', '198.51.100.4/32', '2001:db8::4/128', 'fd00::4/128'] },
    )
    const [ipv4, ipv6] = egress?.[1]?.to ?? []
    expect(ipv4?.ipBlock?.except).toEqual([...privateIpv4, '198.51.100.4/32'])
    expect(ipv6?.ipBlock?.except).toEqual([...privateIpv6, '2001:db8::4/128'])
  })

  it('denies networks of pods and services if the egress is Internet, even if such a network is only partly public', () => {
    const { egress } = policyOf(
      { egress: 'Internet' },
      { clusterCidrs: ['10.244.0.0/24', '11.0.0.0/8', '8.0.0.0/6', '198.51.100.0/25', '2001:db8:1::/64', 'fd00:1::/64'] },
    )
    const [ipv4, ipv6] = egress?.[1]?.to ?? []
    expect(ipv4?.ipBlock?.except).toEqual([...privateIpv4, '11.0.0.0/8', '198.51.100.0/25', '8.0.0.0/6'])
    expect(ipv6?.ipBlock?.except).toEqual([...privateIpv6, '2001:db8:1::/64'])
  })

  it('denies all internet traffic while the addresses of the cluster are unknown', () => {
    expect(policyOf({ egress: 'Internet' }, { clusterCidrs: undefined })).toEqual(policyOf({ egress: 'Dns' }))
  })

  it.each(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '168.63.129.16/32'])(
    'counts %s as private',
    (range) => {
      expect(privateIpv4).toContain(range)
    },
  )

  it.each(['fc00::/7', 'fe80::/10'])('counts %s as private', (range) => {
    expect(privateIpv6).toContain(range)
  })
})

describe('the Secret of a flag', () => {
  const secret = (labels: Record<string, string>, owner?: string) => ({
    metadata: {
      ...anInstance().metadata,
      uid: 'secret-uid',
      labels,
      ownerReferences: owner === undefined ? [] : [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: owner }],
    },
  })

  it('the Secret belongs to the instance only if its label names the instance', () => {
    expect(isFlagSecretOfInstance(secret({ [instanceLabel]: 'ci-1' }), anInstance())).toBe(true)
    expect(isFlagSecretOfInstance(secret({ [instanceLabel]: 'ci-2' }), anInstance())).toBe(false)
    expect(isFlagSecretOfInstance(secret({}), anInstance())).toBe(false)
    expect(isFlagSecretOfInstance(undefined, anInstance())).toBe(false)
  })

  it('the Secret is adopted only if it is unchanged since it was read', () => {
    expect(createAdoptionPatch(secret({ [instanceLabel]: 'ci-1' }), anInstance())).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'secret-uid' },
      { op: 'test', path: `/metadata/labels/${instanceLabel.replace('/', '~1')}`, value: 'ci-1' },
      { op: 'add', path: '/metadata/ownerReferences', value: [anOwnerReference(anInstance())] },
    ])
  })

  it('the Secret is not adopted again if the instance already owns it', () => {
    expect(isSecretOwnedBy(secret({}, 'uid-1'), anInstance())).toBe(true)
    expect(isSecretOwnedBy(secret({}, 'uid-of-a-predecessor'), anInstance())).toBe(false)
  })
})
