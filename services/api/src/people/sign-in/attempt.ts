import { Limits } from '@capstan/contract/limits'
import type { SignInPurpose } from '@capstan/contract/sign-in'
import { openSealedValue, sealValue } from '../../rules/signing/sealed-value.ts'

/**
 * Sign-in that a browser has started. It is stored in a sealed cookie, so the server stores nothing for users without a session.
 * The answer of the provider is valid only in the browser that started the sign-in (RFC 9700, sections 2.1 and 4.7).
 */
export type SignInAttempt = Readonly<{
  providerId: string
  purpose: SignInPurpose
  state: string
  nonce: string
  codeVerifier: string
  /** User who started the sign-in. Absent if the caller had no session. */
  userId?: string
  /** Time at which the attempt expires, in ms since 1970. */
  expiresAt: number
}>

export const attemptLifetimeMs = Limits.signInMinutes * 60_000
const context = 'sign-in attempt'

export function sealSignInAttempt(attempt: SignInAttempt, serverSecret: string): string {
  return sealValue(attempt, context, serverSecret)
}

/** Opens the cookie of an attempt. @returns undefined if the cookie is absent, forged or expired */
export function openSignInAttempt(cookie: string | undefined, serverSecret: string, now: Date): SignInAttempt | undefined {
  return openSealedValue<SignInAttempt>(cookie, context, serverSecret, now)
}
