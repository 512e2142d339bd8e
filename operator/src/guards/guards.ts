import { namespaces, networkPolicies } from '@capstan/kubernetes/built-in-kinds'
import type { KubeObject, Resource } from '@capstan/kubernetes/types'

/**
 * Names of the guards of challenges: objects that the chart creates to isolate challenges. Kubernetes does not report their
 * deletion or change.
 */
export interface GuardSettings {
  networkPolicy: string | undefined
  quota: string | undefined
  /** Admission policy of the instances' namespace. Its binding has the same name. */
  admissionPolicy: string | undefined
  /** Pod Security standard that the instances' namespace must enforce. A stronger standard is also accepted. */
  podSecurity: PodSecurity | undefined
}

type PodSecurity = 'baseline' | 'restricted'

export interface Guard {
  /** Protection that the guard provides. The doctor's report uses the same name. */
  control: 'network policy' | 'quota' | 'admission policy' | 'Pod Security'
  resource: Resource
  name: string
  /** Namespace of the object. Undefined if the object is cluster-wide. */
  namespace: string | undefined
  /**
   * Returns the reason why the object does not protect challenges.
   * @returns undefined if the object protects challenges
   */
  findFault(object: KubeObject): string | undefined
}

export type FindObject = (resource: Resource, namespace: string | undefined, name: string) => Promise<KubeObject | undefined>

const quotas: Resource = { apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' }
const admission = 'admissionregistration.k8s.io/v1'
const admissionPolicies: Resource = {
  apiVersion: admission,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
}
const admissionBindings: Resource = {
  apiVersion: admission,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
}

const enforceLabel = 'pod-security.kubernetes.io/enforce'
const namespaceLabel = 'kubernetes.io/metadata.name'

export function listGuards({ networkPolicy, quota, admissionPolicy, podSecurity }: GuardSettings, namespace: string): Guard[] {
  const guards: Guard[] = []
  if (networkPolicy !== undefined)
    guards.push({
      control: 'network policy',
      resource: networkPolicies,
      name: networkPolicy,
      namespace,
      findFault: findFaultOfNetworkPolicy,
    })
  if (quota !== undefined)
    guards.push({ control: 'quota', resource: quotas, name: quota, namespace, findFault: findFaultOfQuota })
  if (admissionPolicy !== undefined)
    guards.push(
      {
        control: 'admission policy',
        resource: admissionPolicies,
        name: admissionPolicy,
        namespace: undefined,
        findFault: findFaultOfAdmissionPolicy,
      },
      {
        control: 'admission policy',
        resource: admissionBindings,
        name: admissionPolicy,
        namespace: undefined,
        findFault: (object) => findFaultOfBinding(object, admissionPolicy, namespace),
      },
    )
  if (podSecurity !== undefined)
    guards.push({
      control: 'Pod Security',
      resource: namespaces,
      name: namespace,
      namespace: undefined,
      findFault: (object) => findFaultOfLabels(object, podSecurity),
    })
  return guards
}

/**
 * Checks one guard. @returns the reason why the guard does not protect challenges, undefined if it protects them
 * @throws if the guard cannot be read
 */
export async function checkGuard({ resource, namespace, name, findFault }: Guard, find: FindObject): Promise<string | undefined> {
  const object = await find(resource, namespace, name)
  return object === undefined ? 'it does not exist' : findFault(object)
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0
}

interface Selector {
  matchLabels?: Record<string, string>
  matchExpressions?: unknown[]
}

function findFaultOfNetworkPolicy(object: KubeObject): string | undefined {
  const { spec = {} } = object as KubeObject & {
    spec?: { podSelector?: Selector; policyTypes?: string[]; ingress?: unknown[]; egress?: unknown[] }
  }
  if (!isEmpty(spec.podSelector)) return 'it does not select every pod'
  if (!spec.policyTypes?.includes('Ingress') || !spec.policyTypes.includes('Egress'))
    return 'it does not restrict both directions'
  return isEmpty(spec.ingress) && isEmpty(spec.egress) ? undefined : 'it allows some traffic'
}

function findFaultOfQuota(object: KubeObject): string | undefined {
  const { spec } = object as KubeObject & { spec?: { hard?: Record<string, string> } }
  return spec?.hard?.pods === undefined ? 'it does not limit pods' : undefined
}

function findFaultOfAdmissionPolicy(object: KubeObject): string | undefined {
  const { spec } = object as KubeObject & { spec?: { failurePolicy?: string; validations?: unknown[] } }
  if (spec?.failurePolicy === 'Ignore') return 'it allows everything if it fails'
  return isEmpty(spec?.validations) ? 'it has no rules' : undefined
}

function findFaultOfBinding(object: KubeObject, policyName: string, namespace: string): string | undefined {
  const { spec = {} } = object as KubeObject & {
    spec?: {
      policyName?: string
      validationActions?: string[]
      matchResources?: { namespaceSelector?: Selector; objectSelector?: Selector; excludeResourceRules?: unknown[] }
    }
  }
  if (spec.policyName !== policyName) return 'it binds another policy'
  if (!spec.validationActions?.includes('Deny')) return 'it does not deny violations'
  const { namespaceSelector, objectSelector, excludeResourceRules } = spec.matchResources ?? {}
  const { matchLabels = {}, matchExpressions } = namespaceSelector ?? {}
  const isAboutNamespace = Object.entries(matchLabels).every(([label, value]) => label === namespaceLabel && value === namespace)
  return isAboutNamespace && isEmpty(matchExpressions) && isEmpty(objectSelector) && isEmpty(excludeResourceRules)
    ? undefined
    : 'it does not select everything in the namespace'
}

function findFaultOfLabels({ metadata }: KubeObject, weakest: PodSecurity): string | undefined {
  const level = metadata.labels?.[enforceLabel]
  if (level === 'restricted' || level === weakest) return undefined
  return `its label ${enforceLabel} is ${level ?? 'missing'}, not ${weakest}`
}
