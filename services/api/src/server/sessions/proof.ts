// Checks that a login or session is still valid, in the transaction that opens a session or writes a change. A concurrent change of
// the credentials locks the account, ends the sessions, and commits. Without these checks, a login that began before this commit
// could still succeed afterwards.
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { createSessionRepository } from './repository.ts'
import type { SessionUser } from './session-user.ts'

/** Proof of a login: the password and perhaps a second factor, or an account at an identity provider. */
export type LoginProof =
  | Readonly<{ passwordHash: string; hasUsedFactor: boolean }>
  | Readonly<{ providerId: string; subject: string }>

/** True if the user has an authenticator or a passkey. */
export function hasSecondFactor(executor: Executor, userId: string): Promise<boolean> {
  return createSessionRepository(executor).hasSecondFactor(userId)
}

/**
 * Checks that the account is active and that the proof of a login is still valid. The account and the provider remain locked until
 * the end of the transaction, so that a concurrent change of the credentials waits, and then ends the new session.
 * @throws Problem `login.failed`, `second-factor.expired`, `sign-in.expired`
 */
export async function requireProof(transaction: Executor, userId: string, proof: LoginProof): Promise<void> {
  const repository = createSessionRepository(transaction)
  const user = await repository.lockUser(userId)
  if ('providerId' in proof) {
    const isEnabled = user?.isActive && (await repository.lockEnabledProvider(proof.providerId))
    if (isEnabled && (await repository.isLinked({ ...proof, userId }))) return
    throw new Problem('sign-in.expired')
  }
  const { passwordHash, hasUsedFactor } = proof
  if (!user?.isActive || user.passwordHash !== passwordHash)
    throw new Problem(hasUsedFactor ? 'second-factor.expired' : 'login.failed')
  if (!hasUsedFactor && (await repository.hasSecondFactor(userId))) throw new Problem('login.failed')
}

/**
 * Checks that the session of a call has not ended since the call began. The caller must have locked the account.
 * @throws Problem `session.required`
 */
export async function requireSession(transaction: Executor, { session }: SessionUser): Promise<void> {
  const isOpen = session && (await createSessionRepository(transaction).exists(session.tokenHash))
  if (!isOpen) throw new Problem('session.required')
}
