import type { ReadyReason } from '@capstan/challenge-instance/reasons'
import type { ApiError } from '@capstan/kubernetes/client'

/** Problem of an instance, derived from a write that the API server refused. */

/** Reason why the API server refused the pod. */
export interface Refusal {
  reason: Extract<ReadyReason, 'QuotaExceeded' | 'PodRefused' | 'NameTaken'>
  /** Message of the API server, for organizers. */
  detail: string
}

/** Error: the API server refused to write an object that belongs to an instance. */
export class RefusedWrite extends Error {
  readonly kind: string
  readonly answer: ApiError
  readonly retryAfterMs: number | undefined

  constructor(kind: string, answer: ApiError) {
    super(`The API server refused the ${kind}: ${answer.message}`, { cause: answer })
    this.name = 'RefusedWrite'
    this.kind = kind
    this.answer = answer
    this.retryAfterMs = answer.retryAfterMs
  }
}

/**
 * Returns the reason why the API server refused a write for an instance.
 * @returns undefined if the operator only has to retry the write
 */
export function refusalOfFailedWrite(error: unknown): Refusal | undefined {
  if (!(error instanceof RefusedWrite)) return undefined
  const { status, message } = error.answer
  if (status === 403 && message.includes('exceeded quota')) return { reason: 'QuotaExceeded', detail: message }
  if (status === 422 && message.includes('Only one reference can have Controller'))
    return { reason: 'NameTaken', detail: message }
  // Use the reason PodRefused also for a refused service or policy. Without the service or the policy, players cannot
  // reach the instance.
  if (status === 400 || status === 403 || status === 422) return { reason: 'PodRefused', detail: `${error.kind}: ${message}` }
  return undefined
}

/** True if a service was refused because another service already has its node port. */
export function isNodePortTakenError(error: unknown): boolean {
  return (
    error instanceof RefusedWrite && error.answer.status === 422 && error.answer.message.includes('port is already allocated')
  )
}

export function combineFailures(failures: unknown[]): unknown {
  return failures.length > 1 ? new AggregateError(failures, `${failures.length} writes failed`) : failures[0]
}
