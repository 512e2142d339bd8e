import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { apiVersion, type ChallengeInstanceSpec, type ChallengeInstanceStatus, kind, plural } from './definition.ts'

/** ChallengeInstance object as the Kubernetes API server returns it, with values for absent fields that have a default. */
export interface ChallengeInstance extends KubeObject {
  spec: ChallengeInstanceSpec
  /** Observed state. Absent until the operator writes it for the first time. */
  status?: ChallengeInstanceStatus
}

export type CompleteStatus = ChallengeInstanceStatus &
  Required<Pick<ChallengeInstanceStatus, 'conditions' | 'observedGeneration' | 'restarts'>>

export type Address = NonNullable<ChallengeInstanceStatus['address']>

export const challengeInstances: Resource<ChallengeInstance> = { apiVersion, kind, plural }
