/** How often logging in failed lately, attempts that are not decided yet included. */
export type LoginFailures = Readonly<{
  account: number
  address: number
}>

/** Failures are forgotten this long after the last one. */
export const failuresForgottenAfterMs = 15 * 60_000

/** People mistype; and many of them may sit behind one address. */
const freeFailures: LoginFailures = { account: 3, address: 30 }
const firstDelayMs = 500
const longestDelayMs = 5_000

function delayAfter(failures: number, free: number): number {
  return failures <= free ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (failures - free - 1))
}

/**
 * How long an attempt to log in waits before it is looked at, in ms: doubling from half a second to five. Attempts wait beside
 * each other and none is refused, so that nobody can lock others out, not even from behind their address: how many there may be
 * is the global limit's to say, and how many are looked at together that of `password.ts`.
 * Rules: docs/contract/sessions-and-accounts.md#logging-in.
 */
export function loginDelayMs(failures: LoginFailures): number {
  return Math.max(delayAfter(failures.account, freeFailures.account), delayAfter(failures.address, freeFailures.address))
}
