import type { KubeObject, Resource } from '@capstan/kubernetes/types'
import { apiVersion, type ChallengeInstanceSpec, type ChallengeInstanceStatus, kind, plural } from './definition.ts'

/** An instance as the API server tells it, with its defaults filled in. */
export interface ChallengeInstance extends KubeObject {
  spec: ChallengeInstanceSpec
  /** Absent until the operator first wrote it. */
  status?: ChallengeInstanceStatus
}

/** A status as the operator writes it. */
export type CompleteStatus = ChallengeInstanceStatus &
  Required<Pick<ChallengeInstanceStatus, 'conditions' | 'observedGeneration' | 'restarts'>>

export type Address = NonNullable<ChallengeInstanceStatus['address']>

export const challengeInstances: Resource<ChallengeInstance> = { apiVersion, kind, plural }
