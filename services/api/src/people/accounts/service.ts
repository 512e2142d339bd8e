// Account of the signed-in user. Registration and login are in `entry-service.ts`.
import { hasUserNameLength, isStrongPassword } from '@capstan/contract/account-rules'
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { queueCallerOf } from '../../server/fair-queue.ts'
import { deleteUnreferencedFiles, releaseFiles, storeFile } from '../../server/files/service.ts'
import type { RateLimiter } from '../../server/http/rate-limiter.ts'
import { canMailLinks, isMailAddressRefused, type MailContext, type MailService, queueMail } from '../../server/mail/service.ts'
import { renderMailWithoutPlaceholders } from '../../server/mail/templates.ts'
import { requireSession } from '../../server/sessions/proof.ts'
import type { SessionService } from '../../server/sessions/service.ts'
import { createSessionToken, hashToken } from '../../server/sessions/session-token.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSettings } from '../../server/settings/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { computeUniqueNameKeys } from '../names/keys.ts'
import { refuseInvalidUserName } from '../names/policy.ts'
import { deleteIdentities } from '../sign-in/identities.ts'
import { createLoginFailureRepository } from './login-failure-repository.ts'
import { isAllowedDomain } from './policy.ts'
import { createMailLimitPerRecipient } from './recipient-limit.ts'
import { createAccountRepository, type MailPurpose, noPassword, type UserRow } from './repository.ts'

export { presentProfile } from './presenter.ts'
export type { UserRow } from './repository.ts'

export type AccountServiceDeps = Pick<PeopleDeps, 'db' | 'blobs' | 'images' | 'passwords' | 'clock' | 'config'> &
  Readonly<{
    mail: MailService
    sessions: SessionService
    limiter: RateLimiter
  }>

const tokenLifetimeMs = Limits.mailTokenHours * 3600_000

/** Changes of a profile. Absent and null fields change nothing. An empty phone number deletes the number. */
export type ProfileChange = Readonly<{
  userName?: string | null
  bio?: string | null
  phone?: string | null
  realName?: string | null
  stdNumber?: string | null
}>

/**
 * Returns the columns of a user name: the name and its unique keys.
 * @param userName user name without spaces at the start and end
 */
export function toUserNameColumns(userName: string) {
  return { userName, ...computeUniqueNameKeys(userName) }
}

/**
 * Checks a user name.
 * @param userName user name without spaces at the start and end
 * @throws Problem `request.invalid`, `name.unreadable`, `username.address`
 */
export function checkUserName(userName: string, path = '/userName'): void {
  if (!hasUserNameLength(userName)) throw new Problem('request.invalid', { detail: path })
  const refusal = refuseInvalidUserName(userName)
  if (refusal) throw new Problem(refusal, { detail: path })
}

export function toProfileColumns({ userName, bio, phone, realName, stdNumber }: ProfileChange) {
  return {
    ...(userName != null && toUserNameColumns(userName.trim())),
    ...(bio != null && { bio }),
    ...(phone != null && { phone: phone === '' ? null : phone }),
    ...(realName != null && { realName }),
    ...(stdNumber != null && { stdNumber }),
  }
}

/**
 * Checks the new user name of a changed profile. Clients always send the name, so an unchanged name is accepted even if it
 * violates newer rules.
 * @returns the columns to change, without the name if it is unchanged
 * @throws Problem `request.invalid`, `name.unreadable`, `username.address`
 */
export function checkNameChange(present: string, { userName, ...change }: ProfileChange): ProfileChange {
  const wanted = userName?.trim()
  if (wanted === undefined || wanted === present) return change
  checkUserName(wanted)
  return { ...change, userName: wanted }
}

/** Token and address that a mailed link contains. */
export type MailedToken = Readonly<{
  email: string
  token: string
}>

/** Creates a function that mails a link with a new token. The mail and the token are stored in one transaction. */
export function createLinkSender(deps: Pick<AccountServiceDeps, 'mail' | 'clock' | 'config' | 'limiter'>) {
  const { mail, clock } = deps
  const limitRecipient = createMailLimitPerRecipient(deps)
  return async (
    executor: Executor,
    context: MailContext,
    to: { user: UserRow; purpose: MailPurpose; email: string; isOwner?: boolean; passwordHash?: string },
  ): Promise<void> => {
    await limitRecipient(to.purpose, to.email, to.isOwner)
    const token = createSessionToken()
    await createAccountRepository(executor).insertMailToken({
      tokenHash: hashToken(token),
      userId: to.user.id,
      purpose: to.purpose,
      email: to.email,
      passwordHash: to.passwordHash ?? null,
      expiresAt: new Date(clock.now().getTime() + tokenLifetimeMs),
    })
    await mail.sendLink(executor, context, { purpose: to.purpose, userName: to.user.userName, email: to.email, token })
  }
}

export async function getAccount({ db }: Pick<AccountServiceDeps, 'db'>, id: string): Promise<UserRow> {
  const accounts = createAccountRepository(db)
  const user = await accounts.find(id)
  if (!user) throw new Problem('user.unknown')
  return user
}

export function findAccountByEmail({ db }: Pick<AccountServiceDeps, 'db'>, email: string): Promise<UserRow | undefined> {
  return createAccountRepository(db).findByEmail(email)
}

export function findAccount({ db }: Pick<AccountServiceDeps, 'db'>, id: string): Promise<UserRow | undefined> {
  return createAccountRepository(db).find(id)
}

/**
 * Checks an attempt, such as a code. The attempt is counted before the check, so that concurrent attempts cannot exceed the
 * limit. The attempt no longer counts if the check itself fails, for example because too many checks wait.
 * @param key kind and owner of the attempts. A right attempt resets the number of attempts.
 * @returns the result of `check`
 * @throws Problem `second-factor.too-many`, and errors of `check`
 */
export async function countAndCheckAttempt(
  { db, clock }: Pick<AccountServiceDeps, 'db' | 'clock'>,
  key: string,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const attempts = createLoginFailureRepository(db)
  if (!(await attempts.beginLimited(key, Limits.maxCodeAttempts, clock.now())))
    throw new Problem('second-factor.too-many', { retryAfterSeconds: Limits.codeWaitMinutes * 60 })
  try {
    if (!(await check())) return false
  } catch (error) {
    await attempts.undoLimited(key)
    throw error
  }
  await attempts.forgetLimited(key)
  return true
}

/**
 * Checks the password of a user who has a session. The limit for wrong passwords is the same for all calls, so that a stolen
 * session cannot be used to guess the password.
 * @returns false if the password is wrong
 * @throws Problem `second-factor.too-many`
 */
export function checkOwnPassword(
  deps: Pick<AccountServiceDeps, 'db' | 'clock' | 'passwords'>,
  { id, passwordHash, lastAddress }: Pick<UserRow, 'id' | 'passwordHash' | 'lastAddress'>,
  password: string,
): Promise<boolean> {
  return countAndCheckAttempt(deps, `password of ${id}`, () =>
    deps.passwords.check(passwordHash, password, queueCallerOf(lastAddress, id)),
  )
}

export function listOrganizers({ db }: Readonly<{ db: Executor }>): Promise<string[]> {
  return createAccountRepository(db).listOrganizers()
}

export function hasPassword({ passwordHash }: Pick<UserRow, 'passwordHash'>): boolean {
  return passwordHash !== noPassword
}

export function isOtherEmail(email: string, former: string): boolean {
  return email.toLowerCase() !== former.toLowerCase()
}

/** True if the address of the account is proven, for example by its owner with a mailed link. */
export function hasProvenEmail({ email, provenEmail }: Pick<UserRow, 'email' | 'provenEmail'>): boolean {
  return provenEmail !== null && !isOtherEmail(email, provenEmail)
}

/**
 * Deletes all mailed links of an account. Call this when an admin sets a password, so that no older link replaces this password.
 */
export function deleteMailedLinks(executor: Executor, userId: string): Promise<void> {
  return createAccountRepository(executor).deleteMailTokens(userId)
}

/**
 * If the address of an account is unproven, deletes the account's links to identity providers. Call this when the account gets
 * its first password, or a password from the owner of the address. Otherwise, a stranger could still log in with a linked
 * provider.
 * @param user account before the password is set, but with the address that the account has afterwards
 */
export async function unlinkProvidersOfUnprovenEmail(
  executor: Executor,
  user: Pick<UserRow, 'id' | 'email' | 'provenEmail'>,
): Promise<void> {
  if (!hasProvenEmail(user)) await deleteIdentities(executor, user.id)
}

/** Fields of a new account that has no password. The account gets the first of `userNames` that is not taken. */
export type NewAccount = Pick<
  UserRow,
  'email' | 'emailConfirmed' | 'provenEmail' | 'realName' | 'stdNumber' | 'registeredAt' | 'lastVisitedAt' | 'lastAddress'
> &
  Readonly<{ userNames: readonly string[] }>

/** Creates an account without a password. @throws Problem `email.taken`, or `username.taken` if no name is free */
export async function insertAccount(executor: Executor, { userNames, ...values }: NewAccount): Promise<UserRow> {
  const accounts = createAccountRepository(executor)
  for (const userName of userNames) {
    const user = await accounts.insertUnlessTaken({ ...toUserNameColumns(userName), ...values, passwordHash: noPassword })
    if (user) return user
    if (await accounts.findByEmail(values.email)) throw new Problem('email.taken')
  }
  throw new Problem('username.taken')
}

/** Locks an account until the end of the transaction. @throws Problem `user.unknown` */
export async function lockAccount(executor: Executor, id: string): Promise<UserRow> {
  const user = await createAccountRepository(executor).lock(id)
  if (!user) throw new Problem('user.unknown')
  return user
}

/**
 * Stores that a provider has verified an address. Changes nothing if the user has another address.
 * @param activates true if the verified address also activates the account
 * @returns the account after the change
 */
export function markEmailProven(
  { db }: Readonly<{ db: Executor }>,
  id: string,
  email: string,
  activates: boolean,
): Promise<UserRow> {
  return db.transaction(async (transaction) => {
    const user = await lockAccount(transaction, id)
    const proven = { ...user, provenEmail: email, emailConfirmed: user.emailConfirmed || activates }
    if (!hasProvenEmail(proven)) return user
    await createAccountRepository(transaction).update(id, proven)
    return proven
  })
}

export function grantAdminRole({ db }: Readonly<{ db: Executor }>, id: string): Promise<void> {
  return createAccountRepository(db).update(id, { role: 'Admin' })
}

/** Changes the profile. @throws Problem `username.taken`, `name.unreadable`, `username.address` */
export async function updateProfile(
  { db }: Pick<AccountServiceDeps, 'db'>,
  user: SessionUser,
  change: ProfileChange,
): Promise<void> {
  const accounts = createAccountRepository(db)
  const columns = checkNameChange(user.userName, change)
  await accounts.update(user.id, toProfileColumns(columns))
}

/** Changes the password and ends all other sessions. @throws Problem `password.wrong`, `password.weak`, `second-factor.too-many` */
export async function changePassword(
  deps: Pick<AccountServiceDeps, 'clock' | 'db' | 'passwords' | 'sessions'>,
  user: SessionUser,
  old: string,
  wanted: string,
): Promise<void> {
  const { passwords, db, sessions } = deps
  const account = await getAccount(deps, user.id)
  if (!(await checkOwnPassword(deps, account, old))) throw new Problem('password.wrong')
  if (!isStrongPassword(wanted)) throw new Problem('password.weak')
  const next = await passwords.hash(wanted, queueCallerOf(account.lastAddress, user.id))
  await db.transaction(async (transaction) => {
    const repository = createAccountRepository(transaction)
    const locked = await repository.lock(user.id)
    // A concurrent request has already changed the password.
    if (locked?.passwordHash !== account.passwordHash) throw new Problem('password.wrong')
    await requireSession(transaction, user)
    await repository.update(user.id, { passwordHash: next })
    await repository.deleteMailTokens(user.id)
    await sessions.endAll(transaction, user.id, { except: user })
  })
  sessions.announceEnd(user.id)
}

/** True if users change addresses and forgotten passwords by mailed links. Otherwise they ask an admin. */
export async function areMailedLinksEnabled(deps: Pick<PeopleDeps, 'blobs' | 'config' | 'db' | 'mailer'>): Promise<boolean> {
  return canMailLinks(deps) && (await readSettings(deps)).accountPolicy.emailConfirmationRequired
}

/** Returns whether mails to the address of a user are refused, and whether the user can change the address. */
export async function getOwnMailState(deps: Pick<PeopleDeps, 'blobs' | 'config' | 'db' | 'mailer'>, userId: string) {
  return { isRefused: await isMailAddressRefused(deps, userId), canChange: await areMailedLinksEnabled(deps) }
}

/**
 * Mails a link to the new address. The old address remains valid until the link is opened.
 * @returns false if only admins may change addresses
 * @throws Problem `email.taken`, `email.domain`, `email.not-sent`, `request.rate-limited`
 */
export async function requestEmailChange(
  deps: AccountServiceDeps,
  id: string,
  email: string,
  context: MailContext,
): Promise<boolean> {
  const { db, mail } = deps
  const accounts = createAccountRepository(db)
  const sendLink = createLinkSender(deps)
  const policy = (await readSettings(deps)).accountPolicy
  if (await accounts.findByEmail(email)) throw new Problem('email.taken')
  if (!isAllowedDomain(email, policy.emailDomainList)) throw new Problem('email.domain')
  if (!policy.emailConfirmationRequired) return false
  mail.refuseWithoutServer()
  const user = await getAccount(deps, id)
  await db.transaction((transaction) => sendLink(transaction, context, { user, purpose: 'address-change', email }))
  return true
}

/**
 * Queues a mail to the confirmed address of an account that gets another address. A thief with a stolen session can change the
 * address, so the mail warns the owner.
 * @param before account before the change
 */
export async function queueAddressMail(
  deps: Pick<PeopleDeps, 'clock' | 'db' | 'mailer'>,
  executor: Executor,
  before: Pick<UserRow, 'email' | 'emailConfirmed'>,
  email: string,
  language: LanguageCode,
): Promise<void> {
  if (!before.emailConfirmed || !isOtherEmail(email, before.email)) return
  const { title: platformName } = (await readSettings(deps, executor)).globalConfig
  await queueMail(
    deps,
    executor,
    renderMailWithoutPlaceholders('address-changed', { recipient: before.email, language, platformName }),
  )
}

/**
 * Sets the confirmed address, ends all other sessions, and queues a mail to the old address.
 * @throws Problem `email.token`, `email.taken`
 */
export async function confirmEmailChange(
  deps: Pick<PeopleDeps, 'clock' | 'db' | 'mailer'> & Pick<AccountServiceDeps, 'sessions'>,
  user: SessionUser,
  { email, token }: MailedToken,
  language: LanguageCode,
): Promise<void> {
  const { db, clock, sessions } = deps
  await db.transaction(async (transaction) => {
    const repository = createAccountRepository(transaction)
    const before = await lockAccount(transaction, user.id)
    await requireSession(transaction, user)
    const taken = { tokenHash: hashToken(token), userId: user.id, purpose: 'address-change' as const, email }
    if (!(await repository.takeMailToken(taken, clock.now()))) throw new Problem('email.token')
    await repository.update(user.id, { email, emailConfirmed: true, provenEmail: email })
    await repository.deleteMailTokens(user.id)
    await sessions.endAll(transaction, user.id, { except: user })
    await queueAddressMail(deps, transaction, before, email, language)
  })
  sessions.announceEnd(user.id)
}

/** Replaces the avatar. @returns the URL path of the avatar @throws Problem `file.unreadable` and other `file.*` codes */
export async function setUserAvatar(deps: AccountServiceDeps, id: string, bytes: Buffer, address: string): Promise<string> {
  const { images } = deps
  const image = await images.convert('avatar', bytes, queueCallerOf(address, id))
  let released: string | null = null
  const stored = await storeFile(deps, image.bytes, image.name, {
    adopt: async (transaction, { hash }) => {
      const repository = createAccountRepository(transaction)
      const user = await repository.lock(id)
      if (!user) throw new Problem('user.unknown')
      released = user.avatarHash
      await repository.update(id, { avatarHash: hash })
      await releaseFiles(transaction, [released])
    },
  })
  await deleteUnreferencedFiles(deps, [released])
  return pathOfStoredFile(stored.hash, image.name)
}
