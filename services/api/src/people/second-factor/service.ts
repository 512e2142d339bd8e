// Second factor of local accounts (ADR 72). Rules: docs/contract/sessions-and-accounts.md#second-factor.
import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { RecoveryCodes, SecondFactor, TotpSetup } from '@capstan/contract/second-factor'
import type { Executor } from '@capstan/db/client'
import encodeQR from 'qr'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { type Expiring, openValue, sealValue } from '../../rules/signing/sealed-value.ts'
import { seal, unseal } from '../../rules/signing/secret-box.ts'
import { queueMail } from '../../server/mail/service.ts'
import { renderFactorMail } from '../../server/mail/templates.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSettings } from '../../server/settings/service.ts'
import {
  beginLimitedAttempt,
  findAccount,
  forgetLimitedAttempts,
  getAccount,
  hasPassword,
  lockAccount,
  type UserRow,
} from '../accounts/service.ts'
import type { PeopleDeps } from '../deps.ts'
import {
  createRecoveryCodes,
  createTotpSecret,
  findStep,
  hashRecoveryCode,
  isTotpCode,
  normalizeCode,
  totpAddress,
} from './codes.ts'
import { fingerprintOf, openPendingLogin } from './pending-login.ts'
import { secondFactorRepository } from './repository.ts'

export type SecondFactorDeps = Pick<PeopleDeps, 'db' | 'clock' | 'config' | 'passwords'>

/** Secret of an authenticator that is not set up yet. */
type TotpSecret = Expiring & Readonly<{ secret: string }>

function secretContext(userId: string): string {
  return `totp ${userId}`
}

/** Context of a sealed setup. It is bound to the session, so no other session can finish it. */
function setupContext({ id, session }: SessionUser): string {
  return `totp setup ${id} ${session?.tokenHash ?? ''}`
}

export async function hasSecondFactor({ db }: Readonly<{ db: Executor }>, userId: string): Promise<boolean> {
  return (await secondFactorRepository(db).find(userId)) !== undefined
}

export async function readSecondFactor({ db }: Pick<SecondFactorDeps, 'db'>, userId: string): Promise<SecondFactor> {
  const repository = secondFactorRepository(db)
  const [user, factor, count] = await Promise.all([
    getAccount({ db }, userId),
    repository.find(userId),
    repository.countRecoveryCodes(userId),
  ])
  return { hasPassword: hasPassword(user), enabledAt: factor?.enabledAt.getTime() ?? null, recoveryCodes: count }
}

/** @throws Problem `second-factor.too-many` */
async function beginAttempt(deps: Pick<SecondFactorDeps, 'db' | 'clock'>, key: string): Promise<void> {
  if (await beginLimitedAttempt(deps, key, Limits.maxCodeAttempts)) return
  throw new Problem('second-factor.too-many', { retryAfterSeconds: Limits.codeWaitMinutes * 60 })
}

/** @throws Problem `second-factor.no-password`, `password.wrong`, `second-factor.too-many` */
async function checkPassword(deps: SecondFactorDeps, userId: string, password: string): Promise<UserRow> {
  const user = await getAccount(deps, userId)
  if (!hasPassword(user)) throw new Problem('second-factor.no-password')
  const key = `password of ${userId}`
  await beginAttempt(deps, key)
  if (!(await deps.passwords.check(user.passwordHash, password, userId)))
    throw new Problem('password.wrong', { detail: '/password' })
  await forgetLimitedAttempts(deps, key)
  return user
}

/** Begins to set up an authenticator. @throws Problem `second-factor.exists`, and the problems of `checkPassword` */
export async function startTotp(deps: SecondFactorDeps, user: SessionUser, password: string): Promise<TotpSetup> {
  const { config, db } = deps
  const account = await checkPassword(deps, user.id, password)
  if (await hasSecondFactor(deps, user.id)) throw new Problem('second-factor.exists')
  const { title } = (await readSettings({ ...deps, db })).globalConfig
  const secret = createTotpSecret(cryptoRandom)
  const address = totpAddress(secret, { issuer: title, account: account.userName })
  const setup: TotpSecret = { secret, expiresAt: deps.clock.now().getTime() + Limits.signInMinutes * 60_000 }
  return {
    secret,
    address,
    picture: encodeQR(address, 'svg'),
    setup: sealValue(setup, setupContext(user), config.secretKey),
  }
}

/** Opens a sealed setup. @throws Problem `second-factor.expired` if it belongs to another session or has expired */
function openSetup({ config, clock }: SecondFactorDeps, user: SessionUser, setup: string): string {
  const opened = openValue<TotpSecret>(setup, setupContext(user), config.secretKey, clock.now())
  if (!opened) throw new Problem('second-factor.expired')
  return opened.secret
}

async function storeRecoveryCodes(executor: Executor, userId: string): Promise<RecoveryCodes> {
  const codes = createRecoveryCodes(cryptoRandom)
  const hashes = codes.map((code) => hashRecoveryCode(normalizeCode(code)))
  await secondFactorRepository(executor).replaceRecoveryCodes(userId, hashes)
  return { codes }
}

/**
 * Finishes setting up an authenticator. The code of the setup cannot log in.
 * @throws Problem `second-factor.expired`, `second-factor.wrong`, `second-factor.exists`, `second-factor.no-password`
 */
export async function enableTotp(
  deps: SecondFactorDeps,
  user: SessionUser,
  { setup, code }: { setup: string; code: string },
): Promise<RecoveryCodes> {
  const { config, db, clock } = deps
  const secret = openSetup(deps, user, setup)
  const now = clock.now()
  const step = findStep(secret, normalizeCode(code), now)
  if (step === undefined) throw new Problem('second-factor.wrong', { detail: '/code' })
  const sealed = seal(Buffer.from(secret), secretContext(user.id), config.secretKey, cryptoRandom)
  return db.transaction(async (transaction) => {
    if (!hasPassword(await lockAccount(transaction, user.id))) throw new Problem('second-factor.no-password')
    const row = { userId: user.id, secret: sealed, lastStep: step, enabledAt: now }
    if (!(await secondFactorRepository(transaction).insert(row))) throw new Problem('second-factor.exists')
    return storeRecoveryCodes(transaction, user.id)
  })
}

/** @throws Problem `second-factor.none`, and the problems of `checkPassword` */
export async function renewRecoveryCodes(deps: SecondFactorDeps, userId: string, password: string): Promise<RecoveryCodes> {
  await checkPassword(deps, userId, password)
  return deps.db.transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    if (!(await hasSecondFactor({ db: transaction }, userId))) throw new Problem('second-factor.none')
    return storeRecoveryCodes(transaction, userId)
  })
}

/** Deletes the factor. The caller has locked the account. @throws Problem `second-factor.none` */
async function deleteFactor(executor: Executor, userId: string): Promise<void> {
  if (!(await secondFactorRepository(executor).delete(userId))) throw new Problem('second-factor.none')
}

/** @throws Problem `second-factor.none`, and the problems of `checkPassword` */
export async function removeSecondFactor(deps: SecondFactorDeps, userId: string, password: string): Promise<void> {
  await checkPassword(deps, userId, password)
  await deps.db.transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    await deleteFactor(transaction, userId)
  })
}

/** Removes the factor of a user for an admin, and queues a mail to the user. @returns the user name @throws Problem `second-factor.none` */
export function removeUserSecondFactor(
  deps: SecondFactorDeps & Pick<PeopleDeps, 'mailer' | 'blobs' | 'images'>,
  userId: string,
  language: LanguageCode,
): Promise<string> {
  return deps.db.transaction(async (transaction) => {
    const { userName, email } = await lockAccount(transaction, userId)
    await deleteFactor(transaction, userId)
    const { title: platformName } = (await readSettings(deps, transaction)).globalConfig
    await queueMail(deps, transaction, renderFactorMail({ recipient: email, language, platformName }))
    return userName
  })
}

/** Checks a code and uses it up. */
async function takeCode({ config, db, clock }: SecondFactorDeps, userId: string, code: string): Promise<boolean> {
  const repository = secondFactorRepository(db)
  const normalized = normalizeCode(code)
  const factor = await repository.find(userId)
  if (!factor) return false
  if (!isTotpCode(normalized)) return repository.takeRecoveryCode(userId, hashRecoveryCode(normalized))
  const secret = unseal(factor.secret, secretContext(userId), config.secretKey).toString()
  const step = findStep(secret, normalized, clock.now())
  return step !== undefined && (await repository.takeStep(userId, step))
}

/**
 * Finishes a log-in with a code.
 * @param cookie sealed pending log-in of this browser
 * @returns the account, for which the caller opens a session
 * @throws Problem `second-factor.expired`, `second-factor.too-many`, `second-factor.wrong`, `login.banned`
 */
export async function finishLogin(deps: SecondFactorDeps, cookie: string | undefined, code: string): Promise<UserRow> {
  const { config, clock } = deps
  const pending = openPendingLogin(cookie, config.secretKey, clock.now())
  if (!pending) throw new Problem('second-factor.expired')
  const user = await findAccount(deps, pending.userId)
  if (user?.role === 'Banned') throw new Problem('login.banned')
  if (!user?.emailConfirmed || fingerprintOf(user.passwordHash) !== pending.password) throw new Problem('second-factor.expired')
  const key = `code of ${user.id}`
  await beginAttempt(deps, key)
  if (!(await takeCode(deps, user.id, code))) throw new Problem('second-factor.wrong', { detail: '/code' })
  await forgetLimitedAttempts(deps, key)
  return user
}
