import { createHash } from 'node:crypto'
import { Limits } from '@capstan/contract/limits'
import { openSealedValue, sealValue } from '../../rules/signing/sealed-value.ts'

/**
 * Login that waits for the second factor after the right password. It is stored in a sealed cookie, so only a browser that sent
 * the password can try codes. A stranger can therefore not use up the attempts of the owner.
 */
export type PendingLogin = Readonly<{
  userId: string
  /**
   * Fingerprint of the account's password hash. After a change of the password, the fingerprint no longer matches, and the login
   * cannot be finished.
   */
  password: string
  /** True if the login form offered to link an identity provider. The login then finishes that link. */
  isLinkWanted: boolean
  /** Time at which the pending login expires, in ms since 1970. */
  expiresAt: number
}>

const context = 'pending login'

export function fingerprintOfPasswordHash(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('hex')
}

export function sealPendingLogin(
  { user, isLinkWanted }: { user: { id: string; passwordHash: string }; isLinkWanted: boolean },
  serverSecret: string,
  now: Date,
): string {
  const pending: PendingLogin = {
    userId: user.id,
    password: fingerprintOfPasswordHash(user.passwordHash),
    isLinkWanted,
    expiresAt: now.getTime() + Limits.pendingLoginMinutes * 60_000,
  }
  return sealValue(pending, context, serverSecret)
}

/** Opens the cookie of a pending login. @returns undefined if the cookie is absent, forged or expired */
export function openPendingLogin(cookie: string | undefined, serverSecret: string, now: Date): PendingLogin | undefined {
  return openSealedValue<PendingLogin>(cookie, context, serverSecret, now)
}
