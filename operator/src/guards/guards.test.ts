import type { KubeObject } from '@capstan/kubernetes/types'
import { describe, expect, it } from 'vitest'
import { checkGuard, type FindObject, listGuards } from './guards.ts'

const metadata = { name: 'x', uid: 'x', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }

/** Valid guard objects by kind, with the fields that the chart sets and the defaults of the API server. */
const intact: Record<string, KubeObject & { spec?: object }> = {
  NetworkPolicy: { metadata, spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
  ResourceQuota: { metadata, spec: { hard: { pods: '500' } } },
  ValidatingAdmissionPolicy: { metadata, spec: { failurePolicy: 'Fail', validations: [{ expression: 'false' }] } },
  ValidatingAdmissionPolicyBinding: {
    metadata,
    spec: {
      policyName: 'ctf-instances',
      validationActions: ['Deny'],
      matchResources: {
        matchPolicy: 'Equivalent',
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'arena' } },
        objectSelector: {},
      },
    },
  },
  Namespace: { metadata: { ...metadata, labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } },
}

const guards = listGuards(
  { networkPolicy: 'default-deny', quota: 'instances', admissionPolicy: 'ctf-instances', podSecurity: 'baseline' },
  'arena',
)

/** Returns the faults of all guards, by the kind of the guard. `changes` replaces some of the valid guards. */
async function faultsOf(changes: Record<string, (KubeObject & { spec?: object }) | undefined>) {
  const find: FindObject = async ({ kind }) => ({ ...intact, ...changes })[kind]
  const results = await Promise.all(guards.map(async (guard) => [guard.resource.kind, await checkGuard(guard, find)] as const))
  return Object.fromEntries(results.filter(([, fault]) => fault !== undefined))
}

describe('the guards of challenges', () => {
  it('`listGuards` returns the kind, namespace and name of each object that isolates challenges', () => {
    expect(guards.map(({ resource, namespace, name }) => `${resource.kind} ${namespace ?? ''}/${name}`)).toEqual([
      'NetworkPolicy arena/default-deny',
      'ResourceQuota arena/instances',
      'ValidatingAdmissionPolicy /ctf-instances',
      'ValidatingAdmissionPolicyBinding /ctf-instances',
      'Namespace /arena',
    ])
  })

  it('the list of guards is empty if the settings contain none', () => {
    const nothing = { networkPolicy: undefined, quota: undefined, admissionPolicy: undefined, podSecurity: undefined }
    expect(listGuards(nothing, 'arena')).toEqual([])
  })

  it('guards have no fault if they are as the chart creates them', async () => {
    expect(await faultsOf({})).toEqual({})
  })

  it('reports a fault for a guard object that does not exist in the cluster', async () => {
    for (const kind of Object.keys(intact)) expect(await faultsOf({ [kind]: undefined })).toEqual({ [kind]: 'it does not exist' })
  })

  it.each([
    [
      'a network policy about some pods',
      'NetworkPolicy',
      { podSelector: { matchLabels: { a: 'b' } } },
      'it does not select every pod',
    ],
    ['a network policy for one direction', 'NetworkPolicy', { policyTypes: ['Ingress'] }, 'it does not restrict both directions'],
    ['a network policy that allows', 'NetworkPolicy', { egress: [{}] }, 'it allows some traffic'],
    ['a quota without pods', 'ResourceQuota', { hard: {} }, 'it does not limit pods'],
    [
      'an admission policy that ignores its failures',
      'ValidatingAdmissionPolicy',
      { failurePolicy: 'Ignore' },
      'it allows everything if it fails',
    ],
    ['an admission policy without a check', 'ValidatingAdmissionPolicy', { validations: [] }, 'it has no rules'],
    ['a binding of something else', 'ValidatingAdmissionPolicyBinding', { policyName: 'other' }, 'it binds another policy'],
    [
      'a binding that only warns',
      'ValidatingAdmissionPolicyBinding',
      { validationActions: ['Warn'] },
      'it does not deny violations',
    ],
    [
      'a binding to another namespace',
      'ValidatingAdmissionPolicyBinding',
      { matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'other' } } } },
      'it does not select everything in the namespace',
    ],
    [
      'a binding with an exception',
      'ValidatingAdmissionPolicyBinding',
      { matchResources: { excludeResourceRules: [{ resources: ['pods'] }] } },
      'it does not select everything in the namespace',
    ],
  ])('a guard has a fault: %s', async (_how, kind, change, fault) => {
    expect(await faultsOf({ [kind]: { metadata, spec: { ...intact[kind]?.spec, ...change } } })).toEqual({ [kind]: fault })
  })

  it('a namespace has no fault if it enforces a stronger standard than required', async () => {
    const labelled = (level: string | undefined) => ({
      Namespace: {
        metadata: { ...metadata, labels: level === undefined ? {} : { 'pod-security.kubernetes.io/enforce': level } },
      },
    })
    expect(await faultsOf(labelled('restricted'))).toEqual({})
    const label = 'its label pod-security.kubernetes.io/enforce is'
    expect(await faultsOf(labelled('privileged'))).toEqual({ Namespace: `${label} privileged, not baseline` })
    expect(await faultsOf(labelled(undefined))).toEqual({ Namespace: `${label} missing, not baseline` })
  })
})
