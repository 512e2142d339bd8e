import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import {
  drainedAnnotation,
  instanceIdLabel,
  instanceLabel,
  ownershipLabels,
  traceparentAnnotation,
} from '@capstan/challenge-instance/labels'
import { apiName, flagKey, flagVariable, formerInstanceName, instanceName } from '@capstan/challenge-instance/names'
import { isFinal } from '@capstan/challenge-instance/reasons'
import { secrets } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import type { DesiredObject } from '@capstan/kubernetes/types'
import type { InstanceConfig } from '../../config.ts'
import type { Exposure, InstanceSpec, ObservedCapture, ObservedInstance, ObservedState } from '../runtime.ts'

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

/** What is read of an object: one of an earlier version may lack what has a default by now. */
export type ReadInstance = Pick<ChallengeInstance, 'metadata' | 'status'> & {
  spec: Pick<ChallengeInstanceSpec, 'expiresAt'> &
    Partial<Pick<ChallengeInstanceSpec, 'exposure'>> & { capture?: { enabled?: boolean } }
}

const labelsOf = (spec: InstanceSpec): Record<string, string> => ({
  ...ownershipLabels(spec, apiName),
  [instanceIdLabel]: spec.id,
})

/** The Secret that holds the flag; undefined for a challenge whose flag is static. */
export const desiredFlagSecret = (spec: InstanceSpec, { namespace }: KubernetesSettings): object | undefined =>
  spec.flag === undefined
    ? undefined
    : {
        apiVersion: secrets.apiVersion,
        kind: secrets.kind,
        metadata: {
          name: instanceName(spec.id),
          namespace,
          labels: { ...labelsOf(spec), [instanceLabel]: instanceName(spec.id) },
        },
        type: 'Opaque',
        immutable: true,
        stringData: { [flagKey]: spec.flag },
      }

export const desiredInstance = (
  spec: InstanceSpec,
  settings: KubernetesSettings,
  traceparent?: string,
): DesiredObject & { spec: ChallengeInstanceSpec } => ({
  apiVersion: challengeInstances.apiVersion,
  kind: challengeInstances.kind,
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
    ...(settings.imagePullSecrets.length > 0 && { imagePullSecrets: [...settings.imagePullSecrets] }),
    resources: {
      cpuTenths: spec.cpuTenths,
      memoryMb: spec.memoryMb,
      storageMb: spec.storageMb,
      pids: settings.pidsLimit,
    },
    ...(spec.flag !== undefined && {
      flag: {
        secretName: instanceName(spec.id),
        environmentNames: [...new Set([flagVariable, ...settings.flagEnvironmentNames])],
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

const stateOf = ({ status }: ReadInstance): ObservedState => {
  const ready = findCondition(status?.conditions, conditionTypes.ready)
  if (!ready) return { kind: 'pending', reason: 'Created', message: 'The challenge is starting.' }
  const { reason, message } = ready
  // The operator names it as long as the pod that has it exists.
  const address = status?.address
  if (ready.status === 'True' && address) return { kind: 'ready', ...address }
  const kind = ready.status === 'False' && isFinal(reason) ? 'failed' : 'pending'
  return { kind, reason, message, ...(address && { address }) }
}

/** UUID of the row; undefined: not ours. The label alone leads to it, and the name proves that the api gave both. */
export const idOf = ({ metadata }: ReadInstance): string | undefined => {
  const id = metadata.labels?.[instanceIdLabel]
  return id !== undefined && [instanceName(id), formerInstanceName(id)].includes(metadata.name) ? id : undefined
}

/** In the words of the runtimes. */
export const exposureOf = (exposure: KubernetesSettings['exposure']): Exposure => (exposure === 'Proxy' ? 'Proxy' : 'Direct')

/** Undefined: not ours, or on its way out, which counts as gone. */
export const observeInstance = (object: ReadInstance): ObservedInstance | undefined => {
  const id = idOf(object)
  if (id === undefined || object.metadata.deletionTimestamp !== undefined) return undefined
  const { expiresAt, exposure } = object.spec
  return { id, state: stateOf(object), expiresAt: new Date(expiresAt), exposure: exposure && exposureOf(exposure) }
}

/** Undefined: not ours, or nothing to record. One on its way out still counts: its recordings are to be fetched. */
export const observeCapture = (object: ReadInstance): ObservedCapture | undefined => {
  const id = idOf(object)
  const { metadata, spec, status } = object
  if (id === undefined || spec.capture?.enabled !== true) return undefined
  const healthy = findCondition(status?.conditions, conditionTypes.captureHealthy)
  return {
    id,
    address: status?.captureAddress,
    health: healthy && { isRecording: healthy.status === 'True', reason: healthy.reason, message: healthy.message },
    isEnding: metadata.deletionTimestamp !== undefined,
    isReleased: metadata.annotations?.[drainedAnnotation] !== undefined,
  }
}
