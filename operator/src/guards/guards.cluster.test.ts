import { networkPolicies } from '@capstan/kubernetes/built-in-kinds'
import type { Resource } from '@capstan/kubernetes/types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestCluster, events, type TestCluster, waitForValue } from '../testing/cluster.ts'
import { listGuards } from './guards.ts'

let cluster: TestCluster
beforeAll(async () => {
  cluster = await createTestCluster()
})
afterAll(() => cluster?.close())

it('the operator creates a Kubernetes event if a NetworkPolicy that isolates challenges is deleted or restored', async () => {
  const { client, namespace } = cluster
  const settings = {
    networkPolicy: 'default-deny',
    quota: 'instances',
    admissionPolicy: namespace,
    podSecurity: 'baseline',
  } as const
  const specs: Record<string, object> = {
    NetworkPolicy: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
    ResourceQuota: { hard: { pods: '10' } },
    ValidatingAdmissionPolicy: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
    },
    ValidatingAdmissionPolicyBinding: {
      policyName: namespace,
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  }
  const guards = listGuards(settings, namespace)
  const make = async (resource: Resource, within: string | undefined, name: string) => {
    const { apiVersion, kind } = resource
    const metadata = { name, ...(within === undefined ? {} : { namespace: within }) }
    await client.create(resource, within, { apiVersion, kind, metadata, spec: specs[kind] })
  }
  const outside = guards.filter((guard) => guard.namespace === undefined && guard.resource.kind !== 'Namespace')
  try {
    for (const { resource, namespace: within, name } of guards)
      if (resource.kind !== 'Namespace') await make(resource, within, name)
    const namespaces: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' }
    const { metadata, ...rest } = await client.get(namespaces, undefined, namespace)
    const labels = { ...metadata.labels, 'pod-security.kubernetes.io/enforce': 'baseline' }
    await client.update(namespaces, { ...rest, metadata: { ...metadata, labels } })
    const operator = await cluster.startOperator({
      environment: {
        CAPSTAN_GUARD_NETWORK_POLICY: settings.networkPolicy,
        CAPSTAN_GUARD_QUOTA: settings.quota,
        CAPSTAN_GUARD_ADMISSION_POLICY: settings.admissionPolicy,
        CAPSTAN_GUARD_POD_SECURITY: settings.podSecurity,
      },
    })
    const inPlace = (count: number) =>
      waitForValue(`${count} guards are in place`, async () =>
        (await operator.metric('capstan_operator_guard_in_place')) === count ? true : undefined,
      )
    await inPlace(guards.length)
    const guardEvents = async () =>
      (await cluster.list(events)).map(({ reason }) => reason).filter((reason) => reason.startsWith('Guard'))
    expect(await guardEvents()).toEqual([])

    await cluster.remove(networkPolicies, settings.networkPolicy)
    await waitForValue('an event reports it', async () => ((await guardEvents()).includes('GuardMissing') ? true : undefined))
    await inPlace(guards.length - 1)
    await make(networkPolicies, namespace, settings.networkPolicy)
    await waitForValue('an event reports its return', async () =>
      (await guardEvents()).includes('GuardRestored') ? true : undefined,
    )
    await operator.stop()
  } finally {
    for (const { resource, name } of outside) await client.delete(resource, undefined, name).catch(() => undefined)
  }
})
