import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { apiVersion, type ChallengeInstanceSpec, type ChallengeInstanceStatus, kind, plural } from './definition.ts'

/** ChallengeInstance object as the Kubernetes API server returns it. Absent fields have their default values. */
export interface ChallengeInstance extends KubeObject {
  spec: ChallengeInstanceSpec
  /** State that the operator observed. Undefined until the operator writes it for the first time. */
  status?: ChallengeInstanceStatus
}

export type CompleteStatus = ChallengeInstanceStatus &
  Required<Pick<ChallengeInstanceStatus, 'conditions' | 'observedGeneration' | 'restarts'>>

export type Address = NonNullable<ChallengeInstanceStatus['address']>

export const challengeInstances: Resource<ChallengeInstance> = { apiVersion, kind, plural }
