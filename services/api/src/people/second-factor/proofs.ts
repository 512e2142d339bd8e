// Proofs before a change of the second factor, and before the second step of a log-in.
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { RecoveryCodes } from '@capstan/contract/second-factor'
import type { Executor } from '@capstan/db/client'
import { cryptoRandom } from '../../rules/signing/random.ts'
import {
  beginLimitedAttempt,
  findAccount,
  forgetLimitedAttempts,
  getAccount,
  hasPassword,
  type UserRow,
} from '../accounts/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { createRecoveryCodes, hashRecoveryCode, normalizeCode } from './codes.ts'
import { fingerprintOf, openPendingLogin } from './pending-login.ts'
import { secondFactorRepository } from './repository.ts'

export type SecondFactorDeps = Pick<PeopleDeps, 'db' | 'clock' | 'config' | 'passwords'>

/** @throws Problem `second-factor.too-many` */
export async function beginAttempt(deps: Pick<SecondFactorDeps, 'db' | 'clock'>, key: string): Promise<void> {
  if (await beginLimitedAttempt(deps, key, Limits.maxCodeAttempts)) return
  throw new Problem('second-factor.too-many', { retryAfterSeconds: Limits.codeWaitMinutes * 60 })
}

/** @throws Problem `second-factor.no-password`, `password.wrong`, `second-factor.too-many` */
export async function checkPassword(deps: SecondFactorDeps, userId: string, password: string): Promise<UserRow> {
  const user = await getAccount(deps, userId)
  if (!hasPassword(user)) throw new Problem('second-factor.no-password')
  const key = `password of ${userId}`
  await beginAttempt(deps, key)
  if (!(await deps.passwords.check(user.passwordHash, password, userId)))
    throw new Problem('password.wrong', { detail: '/password' })
  await forgetLimitedAttempts(deps, key)
  return user
}

/** Opens the pending log-in of a browser. @throws Problem `second-factor.expired`, `login.banned` */
export async function openLogin(deps: SecondFactorDeps, cookie: string | undefined): Promise<UserRow> {
  const pending = openPendingLogin(cookie, deps.config.secretKey, deps.clock.now())
  if (!pending) throw new Problem('second-factor.expired')
  const user = await findAccount(deps, pending.userId)
  if (user?.role === 'Banned') throw new Problem('login.banned')
  if (!user?.emailConfirmed || fingerprintOf(user.passwordHash) !== pending.password) throw new Problem('second-factor.expired')
  return user
}

/** Replaces the recovery codes of a user. The caller has locked the account. */
export async function storeRecoveryCodes(executor: Executor, userId: string): Promise<RecoveryCodes> {
  const codes = createRecoveryCodes(cryptoRandom)
  const hashes = codes.map((code) => hashRecoveryCode(normalizeCode(code)))
  await secondFactorRepository(executor).replaceRecoveryCodes(userId, hashes)
  return { codes }
}
