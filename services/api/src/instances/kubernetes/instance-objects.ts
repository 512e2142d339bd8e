import type { InstanceConfig } from '../../config.ts'
import {
  type Exposure,
  formerInstanceName,
  type InstanceSpec,
  instanceName,
  type ObservedCapture,
  type ObservedInstance,
  type ObservedState,
} from '../runtime.ts'

/** What api and operator agree on: `crds/capstan.dev_challengeinstances.yaml`. */
export const apiVersion = 'capstan.dev/v1alpha1'

/** UUID of the row. Only objects that bear it are ours. */
export const instanceIdLabel = 'capstan.dev/instance-id'

/** On the flag's Secret: name of the instance that may use it. */
const instanceLabel = 'capstan.dev/instance'

const flagKey = 'flag'

/** Set with the instant on an instance that is being deleted: its recordings are stored, the operator lets it go. */
export const drainedAnnotation = 'capstan.dev/capture-drained'

/** `traceparent` of the request that started the instance, for the operator's traces. */
const traceparentAnnotation = 'capstan.dev/traceparent'

/** Reasons of `Ready=False` that nothing but a change of the challenge or the cluster ends, as the CRD documents them. */
const finalReasons = new Set([
  'ImagePullFailed',
  'InvalidImage',
  'ImageRunsAsRoot',
  'CrashLooping',
  'ContainerFailed',
  'Unschedulable',
  'QuotaExceeded',
  'PodRefused',
  'FlagMissing',
  'NameTaken',
])

export type KubernetesSettings = Pick<
  InstanceConfig,
  | 'namespace'
  | 'exposure'
  | 'egress'
  | 'flagEnvironmentNames'
  | 'imagePullSecrets'
  | 'pidsLimit'
  | 'runtimeClassName'
  | 'securityProfile'
  | 'captureLimits'
>

interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/** What we read of a ChallengeInstance. */
export interface ChallengeInstanceObject {
  readonly metadata: {
    readonly name: string
    readonly resourceVersion: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: {
    readonly expiresAt: string
    readonly exposure?: KubernetesSettings['exposure']
    readonly capture?: { readonly enabled?: boolean }
  }
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly address?: { readonly host: string; readonly port: number }
    readonly captureAddress?: { readonly host: string; readonly port: number }
  }
}

const labelsOf = (spec: InstanceSpec): Record<string, string> => ({
  'app.kubernetes.io/part-of': 'capstan',
  'app.kubernetes.io/managed-by': 'capstan-api',
  [instanceIdLabel]: spec.id,
  'capstan.dev/game': String(spec.gameId),
  'capstan.dev/challenge': String(spec.challengeId),
  ...(spec.participationId !== undefined && { 'capstan.dev/participation': String(spec.participationId) }),
  ...(spec.teamId !== undefined && { 'capstan.dev/team': String(spec.teamId) }),
})

/** The Secret that holds the flag; undefined for a challenge whose flag is static. */
export const desiredFlagSecret = (spec: InstanceSpec, { namespace }: KubernetesSettings): object | undefined =>
  spec.flag === undefined
    ? undefined
    : {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: instanceName(spec.id),
          namespace,
          labels: { ...labelsOf(spec), [instanceLabel]: instanceName(spec.id) },
        },
        type: 'Opaque',
        immutable: true,
        stringData: { [flagKey]: spec.flag },
      }

export const desiredInstance = (spec: InstanceSpec, settings: KubernetesSettings, traceparent?: string): object => ({
  apiVersion,
  kind: 'ChallengeInstance',
  metadata: {
    name: instanceName(spec.id),
    namespace: settings.namespace,
    labels: labelsOf(spec),
    ...(traceparent !== undefined && { annotations: { [traceparentAnnotation]: traceparent } }),
  },
  spec: {
    gameId: spec.gameId,
    challengeId: spec.challengeId,
    ...(spec.participationId !== undefined && { participationId: spec.participationId }),
    ...(spec.teamId !== undefined && { teamId: spec.teamId }),
    image: spec.image,
    port: spec.port,
    ...(settings.imagePullSecrets.length > 0 && { imagePullSecrets: settings.imagePullSecrets }),
    resources: {
      cpuTenths: spec.cpuTenths,
      memoryMb: spec.memoryMb,
      storageMb: spec.storageMb,
      pids: settings.pidsLimit,
    },
    ...(spec.flag !== undefined && {
      flag: {
        secretName: instanceName(spec.id),
        environmentNames: [...new Set(['FLAG', ...settings.flagEnvironmentNames])],
      },
    }),
    expiresAt: spec.expiresAt.toISOString(),
    exposure: settings.exposure,
    egress: settings.egress,
    security: {
      profile: settings.securityProfile,
      ...(settings.runtimeClassName !== undefined && { runtimeClassName: settings.runtimeClassName }),
    },
    capture: { enabled: spec.capture, ...settings.captureLimits },
  },
})

const stateOf = ({ status }: ChallengeInstanceObject): ObservedState => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  if (!ready) return { kind: 'pending', reason: 'Created', message: 'The challenge is starting.' }
  const { reason, message } = ready
  // The operator names it as long as the pod that has it exists.
  const address = status?.address
  if (ready.status === 'True' && address) return { kind: 'ready', ...address }
  const kind = ready.status === 'False' && finalReasons.has(reason) ? 'failed' : 'pending'
  return { kind, reason, message, ...(address && { address }) }
}

/** UUID of the row; undefined: not ours. The label alone leads to it, and the name proves that the api gave both. */
export const idOf = ({ metadata }: ChallengeInstanceObject): string | undefined => {
  const id = metadata.labels?.[instanceIdLabel]
  return id !== undefined && [instanceName(id), formerInstanceName(id)].includes(metadata.name) ? id : undefined
}

/** In the words of the runtimes. */
export const exposureOf = (exposure: KubernetesSettings['exposure']): Exposure => (exposure === 'Proxy' ? 'Proxy' : 'Direct')

/** Undefined: not ours, or on its way out, which counts as gone. */
export const observeInstance = (object: ChallengeInstanceObject): ObservedInstance | undefined => {
  const id = idOf(object)
  if (id === undefined || object.metadata.deletionTimestamp !== undefined) return undefined
  const { expiresAt, exposure } = object.spec
  return { id, state: stateOf(object), expiresAt: new Date(expiresAt), exposure: exposure && exposureOf(exposure) }
}

/** Undefined: not ours, or nothing to record. One on its way out still counts: its recordings are to be fetched. */
export const observeCapture = (object: ChallengeInstanceObject): ObservedCapture | undefined => {
  const id = idOf(object)
  const { metadata, spec, status } = object
  if (id === undefined || spec.capture?.enabled !== true) return undefined
  const healthy = status?.conditions?.find(({ type }) => type === 'CaptureHealthy')
  return {
    id,
    address: status?.captureAddress,
    health: healthy && { isRecording: healthy.status === 'True', reason: healthy.reason, message: healthy.message },
    isEnding: metadata.deletionTimestamp !== undefined,
    isReleased: metadata.annotations?.[drainedAnnotation] !== undefined,
  }
}
