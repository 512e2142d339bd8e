import { Limits } from '@capstan/contract/limits'

const firstDelayMs = 5_000
const maxDelayMs = 24 * 3_600_000

/** Result of one attempt to deliver an event: the response of the receiver, or no response. */
export type Outcome = Readonly<{
  /** HTTP status. Undefined if the receiver did not respond. */
  status?: number
  retryAfter?: string | undefined
}>

export type Verdict = 'delivered' | 'refused' | 'failed'

/**
 * Classifies the result of an attempt. `refused` means that another attempt would get the same response. This is the case for
 * redirects, which are never followed, and for a 4xx status other than 408 and 429.
 */
export function classifyDeliveryOutcome({ status }: Outcome): Verdict {
  if (status === undefined || status >= 500 || status === 408 || status === 429 || status < 200) return 'failed'
  return status < 300 ? 'delivered' : 'refused'
}

/** Returns the delay that a receiver requests in `Retry-After` (RFC 9110, section 10.2.3), in ms. */
function askedDelayMs(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000
  const instant = Date.parse(retryAfter)
  return Number.isNaN(instant) ? 0 : Math.max(0, instant - now.getTime())
}

/**
 * Returns the delay after a number of failures. The delay is 5 s after the first failure, and doubles with each further failure.
 * It is longer if the receiver requests a longer delay. The maximum is one day.
 */
export function getRetryDelayMs(failures: number, { retryAfter }: Outcome, now: Date): number {
  const delay = firstDelayMs * 2 ** Math.min(failures - 1, 20)
  return Math.min(maxDelayMs, Math.max(delay, askedDelayMs(retryAfter, now)))
}

/** True if the webhook has failed for so long that it is switched off. */
export function hasWebhookFailedTooLong(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= Limits.maxWebhookFailureHours * 3_600_000
}
