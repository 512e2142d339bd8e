import type { ReadyReason } from '@capstan/challenge-instance/reasons'
import type { ApiError } from '@capstan/kubernetes/client'

/** What the API server's refusals mean for an instance. */

/** Why the pod could not be made. */
export interface Refusal {
  reason: Extract<ReadyReason, 'QuotaExceeded' | 'PodRefused' | 'NameTaken'>
  /** The API server's words, for organizers. */
  detail: string
}

/** A write of a child that the API server did not take. */
export class RefusedWrite extends Error {
  readonly kind: string
  readonly answer: ApiError
  readonly retryAfterMs: number | undefined

  constructor(kind: string, answer: ApiError) {
    super(`The API server did not take the ${kind}: ${answer.message}`, { cause: answer })
    this.name = 'RefusedWrite'
    this.kind = kind
    this.answer = answer
    this.retryAfterMs = answer.retryAfterMs
  }
}

/** What a failed write means for the instance; undefined if it is worth no more than another try. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof RefusedWrite)) return undefined
  const { status, message } = error.answer
  if (status === 403 && message.includes('exceeded quota')) return { reason: 'QuotaExceeded', detail: message }
  if (status === 422 && message.includes('Only one reference can have Controller'))
    return { reason: 'NameTaken', detail: message }
  // Without a service or a policy nobody can play either, so the reason is the same.
  if (status === 400 || status === 403 || status === 422) return { reason: 'PodRefused', detail: `${error.kind}: ${message}` }
  return undefined
}

/** Whether a service was refused because another one in the cluster has its node port. */
export function isPortTaken(error: unknown): boolean {
  return (
    error instanceof RefusedWrite && error.answer.status === 422 && error.answer.message.includes('port is already allocated')
  )
}

/** The failures of one pass as one. */
export function combineFailures(failures: unknown[]): unknown {
  return failures.length > 1 ? new AggregateError(failures, `${failures.length} writes failed`) : failures[0]
}
