// Second factor of local accounts (ADR 72). Rules: docs/contract/sessions-and-accounts.md#second-factor.
import { limitKeyOfIpAddress } from '@capstan/contract/addresses'
import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { FactorProof, RecoveryCodes, SecondFactor, TotpSetup } from '@capstan/contract/second-factor'
import type { Executor } from '@capstan/db/client'
import encodeQR from 'qr'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { type Expiring, openSealedValue, sealValue } from '../../rules/signing/sealed-value.ts'
import { sealText } from '../../rules/signing/secret-box.ts'
import { queueMail } from '../../server/mail/service.ts'
import { renderMailWithoutPlaceholders } from '../../server/mail/templates.ts'
import { requireSession } from '../../server/sessions/proof.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSettings } from '../../server/settings/service.ts'
import { getAccount, hasPassword, lockAccount } from '../accounts/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { createTotpSecret, findTotpTimeStep, formatTotpUri, removeCodeSeparators } from './codes.ts'
import type { FactorSetupDeps, SecondFactorDeps } from './deps.ts'
import { presentPasskey } from './passkeys.ts'
import {
  checkPassword,
  checkSecondFactor,
  checkSecondFactorCode,
  findPendingLogin,
  type PasswordLogin,
  sealContextOfTotpSecret,
  storeRecoveryCodes,
} from './proofs.ts'
import { createSecondFactorRepository } from './repository.ts'
import { relyingPartyOf } from './webauthn.ts'

/** Secret of an authenticator whose setup is not finished. */
type TotpSecret = Expiring & Readonly<{ secret: string }>

/**
 * Returns the context in which the setup of an authenticator is sealed: purpose, user and session. Another session cannot finish
 * the setup.
 */
function setupContext({ id, session }: SessionUser): string {
  return `totp setup ${id} ${session?.tokenHash ?? ''}`
}

export function hasSecondFactor({ db }: Readonly<{ db: Executor }>, userId: string): Promise<boolean> {
  return createSecondFactorRepository(db).hasFactor(userId)
}

/** True if a user has a password but no second factor. */
export async function lacksSecondFactor(deps: Pick<SecondFactorDeps, 'db'>, userId: string): Promise<boolean> {
  return hasPassword(await getAccount(deps, userId)) && !(await hasSecondFactor(deps, userId))
}

export async function readSecondFactor(
  { db, config }: Pick<SecondFactorDeps, 'db' | 'config'>,
  { id: userId, isFactorMissing = false }: SessionUser,
): Promise<SecondFactor> {
  const repository = createSecondFactorRepository(db)
  const [user, factor, count, passkeys] = await Promise.all([
    getAccount({ db }, userId),
    repository.findTotp(userId),
    repository.countRecoveryCodes(userId),
    repository.listPasskeys(userId),
  ])
  return {
    hasPassword: hasPassword(user),
    enabledAt: factor?.enabledAt.getTime() ?? null,
    recoveryCodes: count,
    passkeys: passkeys.map(presentPasskey),
    isMissing: isFactorMissing,
    canAddPasskeys: relyingPartyOf(config.publicOrigin) !== undefined,
  }
}

/**
 * Begins to set up an authenticator.
 * @throws Problem `second-factor.exists`, and the problems of `checkPassword` and `checkSecondFactor`
 */
export async function startTotpSetup(deps: SecondFactorDeps, user: SessionUser, proof: FactorProof): Promise<TotpSetup> {
  const { config, db } = deps
  const account = await checkPassword(deps, user.id, proof.password)
  if (await createSecondFactorRepository(db).findTotp(user.id)) throw new Problem('second-factor.exists')
  await checkSecondFactor(deps, user, proof)
  const { title } = (await readSettings({ ...deps, db })).globalConfig
  const secret = createTotpSecret(cryptoRandom)
  const address = formatTotpUri(secret, { issuer: title, account: account.userName })
  const setup: TotpSecret = { secret, expiresAt: deps.clock.now().getTime() + Limits.signInMinutes * 60_000 }
  return {
    secret,
    address,
    picture: encodeQR(address, 'svg'),
    setup: sealValue(setup, setupContext(user), config.secretKey),
  }
}

/** Opens a sealed setup. @throws Problem `second-factor.expired` if the setup belongs to another session or has expired */
function openSetup({ config, clock }: SecondFactorDeps, user: SessionUser, setup: string): string {
  const opened = openSealedValue<TotpSecret>(setup, setupContext(user), config.secretKey, clock.now())
  if (!opened) throw new Problem('second-factor.expired')
  return opened.secret
}

/**
 * Enables the authenticator after the user has entered a correct code. If the account had no second factor before, ends all other
 * sessions.
 * @throws Problem `second-factor.expired`, `second-factor.wrong`, `second-factor.exists`, `second-factor.no-password`
 */
export async function finishTotpSetup(
  deps: FactorSetupDeps,
  user: SessionUser,
  { setup, code }: { setup: string; code: string },
): Promise<RecoveryCodes> {
  const { config, db, clock } = deps
  const secret = openSetup(deps, user, setup)
  const now = clock.now()
  const step = findTotpTimeStep(secret, removeCodeSeparators(code), now)
  if (step === undefined) throw new Problem('second-factor.wrong', { detail: '/code' })
  const sealed = sealText(Buffer.from(secret), sealContextOfTotpSecret(user.id), config.secretKey, cryptoRandom)
  return db.transaction(async (transaction) => {
    if (!hasPassword(await lockAccount(transaction, user.id))) throw new Problem('second-factor.no-password')
    await requireSession(transaction, user)
    const repository = createSecondFactorRepository(transaction)
    if (!(await repository.hasFactor(user.id))) await deps.sessions.endAll(transaction, user.id, { except: user })
    const row = { userId: user.id, secret: sealed, lastStep: step, enabledAt: now }
    if (!(await repository.insertTotp(row))) throw new Problem('second-factor.exists')
    return storeRecoveryCodes(transaction, user.id)
  })
}

/** @throws Problem `second-factor.none`, and the problems of `checkPassword` and `checkSecondFactor` */
export async function renewRecoveryCodes(deps: SecondFactorDeps, user: SessionUser, proof: FactorProof): Promise<RecoveryCodes> {
  const userId = user.id
  await checkPassword(deps, userId, proof.password)
  await checkSecondFactor(deps, user, proof)
  return deps.db.transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    if (!(await hasSecondFactor({ db: transaction }, userId))) throw new Problem('second-factor.none')
    return storeRecoveryCodes(transaction, userId)
  })
}

/** Removes the authenticator. @throws Problem `second-factor.none`, and the problems of `checkPassword` and `checkSecondFactor` */
export async function removeTotp(deps: SecondFactorDeps, user: SessionUser, proof: FactorProof): Promise<void> {
  const userId = user.id
  await checkPassword(deps, userId, proof.password)
  if (!(await createSecondFactorRepository(deps.db).findTotp(userId))) throw new Problem('second-factor.none')
  await checkSecondFactor(deps, user, proof)
  await deps.db.transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const repository = createSecondFactorRepository(transaction)
    if (!(await repository.deleteTotp(userId))) throw new Problem('second-factor.none')
    await repository.deleteUnneededCodes(userId)
  })
}

/**
 * Removes all second factors of a user on behalf of an admin, and queues a mail to the user. Admins remove their own factors with
 * a proof, like all users.
 * @returns the user name
 * @throws Problem `user.self`, `second-factor.none`
 */
export async function removeUserSecondFactor(
  deps: SecondFactorDeps & Pick<PeopleDeps, 'mailer' | 'blobs' | 'images'>,
  actor: SessionUser,
  userId: string,
  language: LanguageCode,
): Promise<string> {
  if (actor.id === userId) throw new Problem('user.self')
  return deps.db.transaction(async (transaction) => {
    const { userName, email } = await lockAccount(transaction, userId)
    const repository = createSecondFactorRepository(transaction)
    if (!(await repository.hasFactor(userId))) throw new Problem('second-factor.none')
    await repository.deleteTotp(userId)
    await repository.deletePasskeys(userId)
    await repository.deleteUnneededCodes(userId)
    const { title: platformName } = (await readSettings(deps, transaction)).globalConfig
    await queueMail(
      deps,
      transaction,
      renderMailWithoutPlaceholders('factor-removed', { recipient: email, language, platformName }),
    )
    return userName
  })
}

/**
 * Finishes a login with a code.
 * @param cookie sealed pending login of this browser
 * @returns the account, for which the caller opens a session
 * @throws Problem `second-factor.expired`, `second-factor.too-many`, `second-factor.wrong`, `login.banned`
 */
export async function finishLoginWithCode(
  deps: SecondFactorDeps,
  cookie: string | undefined,
  { code, address }: Readonly<{ code: string; address: string }>,
): Promise<PasswordLogin> {
  const login = await findPendingLogin(deps, cookie)
  const { id: userId, lastAddress } = login.user
  const isKnownClient = limitKeyOfIpAddress(lastAddress) === limitKeyOfIpAddress(address)
  await checkSecondFactorCode(deps, { userId, isKnownClient }, code)
  return login
}
