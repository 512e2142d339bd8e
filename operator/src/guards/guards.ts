import { networkPolicies } from '../challenge-instance/types.ts'
import type { KubeObject, Resource } from '../kube/types.ts'

/** What must be in place around challenges. The chart makes it, and nothing else notices when somebody takes it away. */
export interface GuardSettings {
  /** Network policy that denies everything in the instances' namespace which no other allows; none is expected if absent. */
  networkPolicy: string | undefined
  /** Quota of the instances' namespace. */
  quota: string | undefined
  /** Admission policy of the instances' namespace; its binding has the same name. */
  admissionPolicy: string | undefined
  /** Pod Security standard that the instances' namespace must enforce at least. */
  podSecurity: PodSecurity | undefined
}

type PodSecurity = 'baseline' | 'restricted'

/** One object that must be there. */
export interface Guard {
  /** What it protects with, in the words of the doctor's report. */
  control: 'network policy' | 'quota' | 'admission policy' | 'Pod Security'
  resource: Resource
  name: string
  /** Absent: it belongs to no namespace. */
  namespace: string | undefined
  /** Why it does not protect as it is; undefined if it does. */
  refuse(object: KubeObject): string | undefined
}

/** Reads an object; undefined: there is none. */
export type FindObject = (resource: Resource, namespace: string | undefined, name: string) => Promise<KubeObject | undefined>

const quotas: Resource = { apiVersion: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' }
const namespaces: Resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' }
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

/** Everything that must be there for the challenges of a namespace. */
export function guardsOf({ networkPolicy, quota, admissionPolicy, podSecurity }: GuardSettings, namespace: string): Guard[] {
  const guards: Guard[] = []
  if (networkPolicy !== undefined)
    guards.push({
      control: 'network policy',
      resource: networkPolicies,
      name: networkPolicy,
      namespace,
      refuse: refuseNetworkPolicy,
    })
  if (quota !== undefined) guards.push({ control: 'quota', resource: quotas, name: quota, namespace, refuse: refuseQuota })
  if (admissionPolicy !== undefined)
    guards.push(
      {
        control: 'admission policy',
        resource: admissionPolicies,
        name: admissionPolicy,
        namespace: undefined,
        refuse: refuseAdmissionPolicy,
      },
      {
        control: 'admission policy',
        resource: admissionBindings,
        name: admissionPolicy,
        namespace: undefined,
        refuse: (object) => refuseBinding(object, admissionPolicy, namespace),
      },
    )
  if (podSecurity !== undefined)
    guards.push({
      control: 'Pod Security',
      resource: namespaces,
      name: namespace,
      namespace: undefined,
      refuse: (object) => refuseLabels(object, podSecurity),
    })
  return guards
}

/** Why a guard does not protect: it is not there, or is not what it was. Undefined if it does. @throws when nobody can tell */
export async function inspect({ resource, namespace, name, refuse }: Guard, find: FindObject): Promise<string | undefined> {
  const object = await find(resource, namespace, name)
  return object === undefined ? 'it is not there' : refuse(object)
}

const isEmpty = (value: object | undefined): boolean => value === undefined || Object.keys(value).length === 0

interface Selector {
  matchLabels?: Record<string, string>
  matchExpressions?: unknown[]
}

function refuseNetworkPolicy(object: KubeObject): string | undefined {
  const { spec = {} } = object as KubeObject & {
    spec?: { podSelector?: Selector; policyTypes?: string[]; ingress?: unknown[]; egress?: unknown[] }
  }
  if (!isEmpty(spec.podSelector)) return 'it is not about every pod'
  if (!spec.policyTypes?.includes('Ingress') || !spec.policyTypes.includes('Egress')) return 'it is not about both directions'
  return isEmpty(spec.ingress) && isEmpty(spec.egress) ? undefined : 'it allows something'
}

function refuseQuota(object: KubeObject): string | undefined {
  const { spec } = object as KubeObject & { spec?: { hard?: Record<string, string> } }
  return spec?.hard?.pods === undefined ? 'it does not limit pods' : undefined
}

function refuseAdmissionPolicy(object: KubeObject): string | undefined {
  const { spec } = object as KubeObject & { spec?: { failurePolicy?: string; validations?: unknown[] } }
  if (spec?.failurePolicy === 'Ignore') return 'it lets everything pass when it fails'
  return isEmpty(spec?.validations) ? 'it checks nothing' : undefined
}

function refuseBinding(object: KubeObject, policyName: string, namespace: string): string | undefined {
  const { spec = {} } = object as KubeObject & {
    spec?: {
      policyName?: string
      validationActions?: string[]
      matchResources?: { namespaceSelector?: Selector; objectSelector?: Selector; excludeResourceRules?: unknown[] }
    }
  }
  if (spec.policyName !== policyName) return 'it binds another policy'
  if (!spec.validationActions?.includes('Deny')) return 'it denies nothing'
  const { namespaceSelector, objectSelector, excludeResourceRules } = spec.matchResources ?? {}
  const { matchLabels = {}, matchExpressions } = namespaceSelector ?? {}
  const isAboutNamespace = Object.entries(matchLabels).every(([label, value]) => label === namespaceLabel && value === namespace)
  return isAboutNamespace && isEmpty(matchExpressions) && isEmpty(objectSelector) && isEmpty(excludeResourceRules)
    ? undefined
    : 'it is not about everything in the namespace'
}

function refuseLabels({ metadata }: KubeObject, least: PodSecurity): string | undefined {
  const level = metadata.labels?.[enforceLabel]
  if (level === 'restricted' || level === least) return undefined
  return `its label ${enforceLabel} is ${level ?? 'not there'}, not ${least}`
}
