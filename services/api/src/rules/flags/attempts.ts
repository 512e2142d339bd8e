/** Limits on the attempts of a team to solve a challenge. The value 0 disables a limit or the cool-down. */
export type AttemptRules = Readonly<{
  submissionLimit: number
  cooldownSeconds: number
}>

/** Submissions of a team to a challenge, regardless of the verdict. Submissions after the end of the game do not count. */
export type Attempts = Readonly<{
  count: number
  /** Time of the last wrong submission. */
  lastWrongAt: Date | null
}>

export type AttemptRefusal = Readonly<{ code: 'submission.limit' } | { code: 'submission.cooldown'; retryAfterSeconds: number }>

export const noAttempts: Attempts = { count: 0, lastWrongAt: null }

export function hasAttemptRules({ submissionLimit, cooldownSeconds }: AttemptRules): boolean {
  return submissionLimit > 0 || cooldownSeconds > 0
}

/** Returns the end of the cool-down if it is after `now`. @returns undefined if there is no cool-down */
export function findCooldownEnd({ cooldownSeconds }: AttemptRules, { lastWrongAt }: Attempts, now: Date): Date | undefined {
  if (cooldownSeconds === 0 || !lastWrongAt) return undefined
  const end = new Date(lastWrongAt.getTime() + cooldownSeconds * 1_000)
  return end > now ? end : undefined
}

/**
 * Returns the refusal of a further attempt. Rules: docs/contract/flags-and-scoring.md#attempts.
 * @returns undefined if the attempt is allowed
 */
export function refuseFurtherAttempt(rules: AttemptRules, attempts: Attempts, now: Date): AttemptRefusal | undefined {
  if (rules.submissionLimit > 0 && attempts.count >= rules.submissionLimit) return { code: 'submission.limit' }
  const end = findCooldownEnd(rules, attempts, now)
  return end && { code: 'submission.cooldown', retryAfterSeconds: (end.getTime() - now.getTime()) / 1_000 }
}

/** Returns the attempt count and the time of the last wrong answer after a new attempt. @param at the time of the new attempt */
export function addAttempt({ count, lastWrongAt }: Attempts, isRight: boolean, at: Date): Attempts {
  return { count: count + 1, lastWrongAt: isRight || (lastWrongAt && lastWrongAt > at) ? lastWrongAt : at }
}
