/** Numbers of recent failed logins to the account and from the address, including attempts that are still pending. */
export type LoginFailures = Readonly<{
  account: number
  address: number
}>

/** Time after the last failure at which all failures are forgotten, in ms. */
export const failuresForgottenAfterMs = 15 * 60_000

const freeFailures: LoginFailures = { account: 3, address: 30 }
const firstDelayMs = 500
const maxDelayMs = 5_000

function delayAfter(failures: number, free: number): number {
  return failures <= free ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - free - 1))
}

/**
 * Returns the delay of a login attempt before its check, in ms. The delay doubles from half a second to five seconds. Attempts
 * wait in parallel and are never refused, so an attacker cannot lock out users behind the same address. The global rate limit
 * bounds the attempts, and `password.ts` bounds the concurrent checks. Rules: docs/contract/sessions-and-accounts.md#logging-in.
 */
export function getLoginDelayMs(failures: LoginFailures): number {
  return Math.max(delayAfter(failures.account, freeFailures.account), delayAfter(failures.address, freeFailures.address))
}
