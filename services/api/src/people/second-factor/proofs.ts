// Checks passwords, codes and passkeys. These proofs are needed to change the second factor, and in the second step of a login.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { FactorProof, LoginFactors, RecoveryCodes } from '@capstan/contract/second-factor'
import type { Executor } from '@capstan/db/client'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { unsealText } from '../../rules/signing/secret-box.ts'
import type { LoginProof } from '../../server/sessions/proof.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import {
  checkOwnPassword,
  countAndCheckAttempt,
  findAccount,
  getAccount,
  hasPassword,
  type UserRow,
} from '../accounts/service.ts'
import { createPasskeyChallenge, redeemPasskeyAnswer } from './challenges.ts'
import { createRecoveryCodes, findTotpTimeStep, hashRecoveryCode, isTotpCode, removeCodeSeparators } from './codes.ts'
import type { SecondFactorDeps } from './deps.ts'
import { fingerprintOfPasswordHash, openPendingLogin } from './pending-login.ts'
import { createSecondFactorRepository } from './repository.ts'

/** Returns the context in which the secret of an authenticator is sealed: purpose and user. */
export function sealContextOfTotpSecret(userId: string): string {
  return `totp ${userId}`
}

/**
 * Returns the context in which a WebAuthn challenge for a change is sealed: purpose, user and session. Another session cannot
 * answer the challenge.
 */
function proofContext({ id, session }: SessionUser): string {
  return `passkey proof ${id} ${session?.tokenHash ?? ''}`
}

/**
 * Checks the password of the caller, for a change of the second factor.
 * @throws Problem `second-factor.no-password`, `password.wrong`, `second-factor.too-many`
 */
export async function checkPassword(deps: SecondFactorDeps, userId: string, password: string): Promise<UserRow> {
  const user = await getAccount(deps, userId)
  if (!hasPassword(user)) throw new Problem('second-factor.no-password')
  if (!(await checkOwnPassword(deps, user, password))) throw new Problem('password.wrong', { detail: '/password' })
  return user
}

/** Checks a code and marks it as used. @returns false if the code is wrong */
async function takeCode({ config, db, clock }: SecondFactorDeps, userId: string, code: string): Promise<boolean> {
  const repository = createSecondFactorRepository(db)
  const normalized = removeCodeSeparators(code)
  if (!isTotpCode(normalized)) return repository.takeRecoveryCode(userId, hashRecoveryCode(normalized))
  const factor = await repository.findTotp(userId)
  if (!factor) return false
  const secret = unsealText(factor.secret, sealContextOfTotpSecret(userId), config.secretKey).toString()
  const step = findTotpTimeStep(secret, normalized, clock.now())
  return step !== undefined && (await repository.takeStep(userId, step))
}

/**
 * Checks a code of the authenticator or a recovery code. Attempts of known clients are counted separately, so another client that
 * knows the password cannot use up their attempts. A known client has a session, or the client address from which the account was
 * last used.
 * @throws Problem `second-factor.too-many`, `second-factor.wrong`
 */
export async function checkSecondFactorCode(
  deps: SecondFactorDeps,
  { userId, isKnownClient }: Readonly<{ userId: string; isKnownClient: boolean }>,
  code: string,
): Promise<void> {
  const key = `${isKnownClient ? 'own code' : 'code'} of ${userId}`
  const isRight = await countAndCheckAttempt(deps, key, () => takeCode(deps, userId, code))
  if (!isRight) throw new Problem('second-factor.wrong', { detail: '/code' })
}

/** Returns a WebAuthn challenge, so that the caller can confirm a change of the second factor with a passkey. */
export function createConfirmationChallenge(deps: SecondFactorDeps, user: SessionUser): Promise<LoginFactors> {
  return createPasskeyChallenge(deps, user.id, { minutes: Limits.pendingLoginMinutes, context: proofContext(user) })
}

/**
 * Checks a code or passkey of the caller if the account has a second factor. Without this check, the password alone would suffice
 * to replace the factor.
 * @throws Problem `second-factor.confirm`, and the problems of `checkCode` and `redeemPasskeyAnswer`
 */
export async function checkSecondFactor(
  deps: SecondFactorDeps,
  user: SessionUser,
  { code, passkey }: FactorProof,
): Promise<void> {
  if (!(await createSecondFactorRepository(deps.db).hasFactor(user.id))) return
  if (passkey) return redeemPasskeyAnswer(deps, user.id, passkey, proofContext(user))
  if (code === undefined) throw new Problem('second-factor.confirm')
  await checkSecondFactorCode(deps, { userId: user.id, isKnownClient: true }, code)
}

/**
 * Checks the proof of a user who adds another way to log in. An account without a password has no proof, so the call is refused.
 * The session alone does not suffice as proof.
 * @throws Problem `sign-in.no-password`, `password.wrong` also for an absent proof, and the problems of `checkPassword` and
 * `checkSecondFactor`
 */
export async function checkPasswordAndSecondFactor(
  deps: SecondFactorDeps,
  user: SessionUser,
  proof: FactorProof | undefined,
): Promise<void> {
  if (!hasPassword(await getAccount(deps, user.id))) throw new Problem('sign-in.no-password')
  if (!proof) throw new Problem('password.wrong', { detail: '/proof' })
  await checkPassword(deps, user.id, proof.password)
  await checkSecondFactor(deps, user, proof)
}

/** Login whose password was right. */
export type PasswordLogin = Readonly<{
  user: UserRow
  /** True if the login also links the identity provider of a pending link. */
  isLinkWanted: boolean
  /** True in the second step of a login. */
  hasUsedFactor: boolean
}>

export function proofOfLogin({ user, hasUsedFactor }: PasswordLogin): LoginProof {
  return { passwordHash: user.passwordHash, hasUsedFactor }
}

/** Finds the pending login in a cookie. @throws Problem `second-factor.expired`, `login.banned` */
export async function findPendingLogin(deps: SecondFactorDeps, cookie: string | undefined): Promise<PasswordLogin> {
  const pending = openPendingLogin(cookie, deps.config.secretKey, deps.clock.now())
  if (!pending) throw new Problem('second-factor.expired')
  const user = await findAccount(deps, pending.userId)
  if (user?.role === 'Banned') throw new Problem('login.banned')
  if (!user?.emailConfirmed || fingerprintOfPasswordHash(user.passwordHash) !== pending.password)
    throw new Problem('second-factor.expired')
  return { user, isLinkWanted: pending.isLinkWanted, hasUsedFactor: true }
}

/** Replaces the recovery codes of a user. The caller must hold a lock on the account. @returns the new codes */
export async function storeRecoveryCodes(executor: Executor, userId: string): Promise<RecoveryCodes> {
  const codes = createRecoveryCodes(cryptoRandom)
  const hashes = codes.map((code) => hashRecoveryCode(removeCodeSeparators(code)))
  await createSecondFactorRepository(executor).replaceRecoveryCodes(userId, hashes)
  return { codes }
}
