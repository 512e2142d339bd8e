// Registration, login, activation and recovery. Rules: docs/contract/sessions-and-accounts.md#registration.
import { setTimeout as sleepFor } from 'node:timers/promises'
import { isStrongPassword } from '@capstan/contract/account-rules'
import type { RegisterOutcome } from '@capstan/contract/accounts'
import { limitKeyOfIpAddress } from '@capstan/contract/addresses'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import type { FastifyBaseLogger } from 'fastify'
import { checkCaptcha } from '../../server/captcha/service.ts'
import { queueCallerOf } from '../../server/fair-queue.ts'
import type { MailContext } from '../../server/mail/service.ts'
import { hashToken } from '../../server/sessions/session-token.ts'
import { readSettings, readSignInPolicy } from '../../server/settings/service.ts'
import { deleteTokensOfUser } from '../../server/tokens/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { getLoginDelayMs } from './login-delay.ts'
import { createLoginFailureRepository, type LoginAttempt } from './login-failure-repository.ts'
import { getRegistrationOutcome, isAllowedDomain, refuseLogin, refuseLoginOfBannedUser } from './policy.ts'
import { createAccountRepository, noPassword, type UserRow } from './repository.ts'
import {
  type AccountServiceDeps,
  checkUserName,
  createLinkSender,
  hasPassword,
  hasProvenEmail,
  type MailedToken,
  toUserNameColumns,
  unlinkProvidersOfUnprovenEmail,
} from './service.ts'

export type EntryServiceDeps = AccountServiceDeps &
  Pick<PeopleDeps, 'sleep'> &
  Readonly<{
    log: Pick<FastifyBaseLogger, 'warn'>
  }>

export type Registration = Readonly<{
  userName: string
  password: string
  email: string
  challenge?: string | null
}>

export type LoginRequest = Readonly<{
  userName: string
  password: string
  challenge?: string | null
}>

/** Context of a call: the client address, and the origin and language for links in mails. */
export type EntryContext = MailContext &
  Readonly<{
    address: string
  }>

/**
 * Minimum duration of a refused login, in ms, while accounts with imported hashes exist. The check of an imported hash takes
 * longer than the check of our hashes. Without the minimum, the response time would reveal which accounts exist.
 */
const minRefusalMs = 800

/** @throws Problem `email.taken`, `username.taken` */
async function refuseTaken({ db }: Pick<EntryServiceDeps, 'db'>, email: string): Promise<never> {
  const accounts = createAccountRepository(db)
  throw new Problem((await accounts.findByEmail(email)) ? 'email.taken' : 'username.taken')
}

async function findLogin(
  deps: Pick<EntryServiceDeps, 'clock' | 'config' | 'db' | 'passwords'>,
  attempt: LoginAttempt,
  password: string,
): Promise<UserRow> {
  const { db, passwords, clock } = deps
  const accounts = createAccountRepository(db)
  const failures = createLoginFailureRepository(db)
  let minDelay: Promise<unknown> = Promise.resolve()
  const find = async () => {
    minDelay = sleepFor(minRefusalMs, undefined, { ref: false })
    const found = await accounts.findByLogin(attempt.login)
    const early = refuseLoginOfBannedUser(found)
    if (early) throw new Problem(early)
    return found
  }
  const { account: user, matches, renewed } = await passwords.checkAccount(find, password, queueCallerOf(attempt.address))
  const refusal = refuseLogin(user, matches)
  if (!user || refusal) {
    await failures.fail(attempt, clock.now())
    if (await accounts.hasForeignHashes()) await minDelay
    throw new Problem(refusal ?? 'login.failed')
  }
  if (renewed === undefined) return user
  if (await accounts.renewHash(user.id, user.passwordHash, renewed)) return { ...user, passwordHash: renewed }
  // A concurrent login has renewed the hash, or the password was changed.
  return findLogin(deps, attempt, password)
}

/**
 * Creates an account, or repeats the registration of an inactive account with the same address. A repeated registration may come
 * from a stranger, so it does not change the account. The mailed link proves the address, and removes the credentials of strangers.
 * @returns the account and the next step. The caller opens the session if the step is `LoggedIn`.
 * @throws Problem `register.closed`, `captcha.failed`, `email.domain`, `email.taken`, `username.taken`, `name.unreadable`,
 * `username.address`, `password.weak`, `request.rate-limited`, `email.not-sent`, checked in the order of
 * docs/contract/sessions-and-accounts.md#registration
 */
export async function registerAccount(
  deps: EntryServiceDeps,
  request: Registration,
  context: EntryContext,
): Promise<{ user: UserRow; outcome: RegisterOutcome }> {
  const { db, passwords, clock } = deps
  const accounts = createAccountRepository(db)
  const sendLink = createLinkSender(deps)
  const policy = (await readSettings(deps)).accountPolicy
  if (!policy.allowRegister || !(await readSignInPolicy(deps)).passwords) throw new Problem('register.closed')
  await checkCaptcha(deps, request.challenge, context.address)
  if (!isAllowedDomain(request.email, policy.emailDomainList)) throw new Problem('email.domain')

  const existing = await accounts.findByEmail(request.email)
  if (existing?.emailConfirmed) throw new Problem('email.taken')
  const userName = request.userName.trim()
  const outcome = getRegistrationOutcome(policy)
  const isMailed = outcome === 'EmailConfirmationRequired'
  const isStrong = isStrongPassword(request.password)
  if (!existing) checkUserName(userName)
  if (!isStrong && (!existing || (isMailed && !hasPassword(existing)))) throw new Problem('password.weak')
  if (existing && outcome === 'LoggedIn') throw new Problem('email.taken')
  if (existing && !isMailed) return { user: existing, outcome }
  const caller = queueCallerOf(context.address)
  // Registrations with the same password count as one request, so their links store the same hash.
  const isSamePassword = existing && (await passwords.check(existing.passwordHash, request.password, caller))
  // A repeated registration with a weak password is refused above if the account has no password. If the account has a password,
  // the link of the repeated registration stores no password.
  const createHash = async () => (isStrong ? passwords.hash(request.password, caller) : noPassword)
  const passwordHash = isSamePassword ? existing.passwordHash : await createHash()

  const user = await db.transaction(async (transaction) => {
    const now = clock.now()
    const repository = createAccountRepository(transaction)
    const account =
      existing ??
      (await repository.insertUnlessTaken({
        ...toUserNameColumns(userName),
        email: request.email,
        passwordHash,
        emailConfirmed: outcome === 'LoggedIn',
        registeredAt: now,
        lastVisitedAt: now,
        lastAddress: context.address,
      }))
    if (account && isMailed)
      await sendLink(transaction, context, { user: account, purpose: 'activation', email: account.email, passwordHash })
    return account
  })
  return { user: user ?? (await refuseTaken(deps, request.email)), outcome }
}

/**
 * Checks the name or address and the password. Unknown names, wrong passwords and inactive accounts get the same response after the
 * same time.
 * @returns the account. The caller checks that the account may log in with a password, and opens the session.
 * @throws Problem `captcha.failed`, `login.banned`, `login.failed`, or `server.unavailable` if too many checks are pending
 */
export async function logIn(deps: EntryServiceDeps, request: LoginRequest, context: EntryContext): Promise<UserRow> {
  const { config, db, clock, sleep = sleepFor } = deps
  const failures = createLoginFailureRepository(db)
  await checkCaptcha(deps, request.challenge, context.address)
  const attempt = { login: request.userName.trim(), address: context.address }
  // The login delay applies only if rate limits are enabled.
  if (!config.rateLimits) return findLogin(deps, attempt, request.password)
  const delayMs = getLoginDelayMs(await retryUntilOutcomeKnown(() => failures.begin(attempt, clock.now())))
  if (delayMs > 0) await sleep(delayMs)
  const user = await findLogin(deps, attempt, request.password)
  await retryUntilOutcomeKnown(() => failures.forgetAccount(attempt))
  return user
}

/**
 * Decides which credentials an account with an unproven address has after its activation by a mailed link. Anyone can register with
 * the address of another person, or enter it at a provider. The links of all these requests go to the owner of the address.
 * Therefore the credentials of a request belong to the owner only if there was no other request. Otherwise the account gets no
 * credentials, and the owner sets a password by mail.
 * @param link link that the owner opened
 * @returns the password hash of the activated account
 */
async function removeCredentialsOfOthers(
  executor: Executor,
  user: UserRow,
  link: Readonly<{ passwordHash: string | null }>,
): Promise<string> {
  const others = await createAccountRepository(executor).listActivationPasswords(user.id)
  const isOnlyRequest = others.every((passwordHash) => passwordHash === link.passwordHash)
  // The link of a sign-in has no password.
  if (link.passwordHash !== null || !isOnlyRequest) await unlinkProvidersOfUnprovenEmail(executor, user)
  await deleteTokensOfUser(executor, user.id)
  // The password of the account is from its first registration, whose link may have been deleted.
  return isOnlyRequest && link.passwordHash === user.passwordHash ? user.passwordHash : noPassword
}

/**
 * Activates an account with the token of a mailed link.
 * @returns the account, for which the caller opens a session
 * @throws Problem `account.verify-failed` for an unknown address, `account.already-active`, `account.token`
 */
export async function verifyAccount(
  { db, clock, sessions }: Pick<EntryServiceDeps, 'clock' | 'db' | 'sessions'>,
  { email, token }: MailedToken,
): Promise<UserRow> {
  const activated = await db.transaction(async (transaction) => {
    const repository = createAccountRepository(transaction)
    const found = await repository.findByEmail(email)
    const user = found && (await repository.lock(found.id))
    if (!user) throw new Problem('account.verify-failed')
    if (user.emailConfirmed) throw new Problem('account.already-active')
    const now = clock.now()
    const taken = { tokenHash: hashToken(token), userId: user.id, purpose: 'activation' as const, email }
    const link = await repository.takeMailToken(taken, now)
    if (!link) throw new Problem('account.token')
    const passwordHash = hasProvenEmail(user) ? user.passwordHash : await removeCredentialsOfOthers(transaction, user, link)
    const changes = { passwordHash, emailConfirmed: true, provenEmail: email, registeredAt: now }
    await repository.update(user.id, changes)
    await repository.deleteMailTokens(user.id)
    return { ...user, ...changes }
  })
  sessions.announceEnd(activated.id)
  return activated
}

/**
 * Mails a link for a new password.
 * @throws Problem `captcha.failed`, `account.unknown` (also for an inactive account), `reset.by-admin`, `email.not-sent`,
 * `request.rate-limited`
 */
export async function requestPasswordReset(
  deps: EntryServiceDeps,
  email: string,
  challenge: string | null | undefined,
  context: EntryContext,
): Promise<UserRow> {
  const { db, mail } = deps
  const accounts = createAccountRepository(db)
  const sendLink = createLinkSender(deps)
  await checkCaptcha(deps, challenge, context.address)
  const user = await accounts.findByEmail(email)
  if (!user?.emailConfirmed) throw new Problem('account.unknown')
  if (!(await readSettings(deps)).accountPolicy.emailConfirmationRequired) throw new Problem('reset.by-admin')
  mail.refuseWithoutServer()
  const isOwner = limitKeyOfIpAddress(user.lastAddress) === limitKeyOfIpAddress(context.address)
  const to = { user, purpose: 'reset', email: user.email, isOwner } as const
  await db.transaction((transaction) => sendLink(transaction, context, to))
  return user
}

/** Sets a new password with the token of a mailed link and ends all sessions. @throws Problem `password.weak`, `reset.token` */
export async function resetPassword(
  { db, clock, passwords, sessions }: Pick<EntryServiceDeps, 'clock' | 'db' | 'passwords' | 'sessions'>,
  { email, token }: MailedToken,
  password: string,
  address: string,
): Promise<UserRow> {
  const accounts = createAccountRepository(db)
  if (!isStrongPassword(password)) throw new Problem('password.weak')
  const found = await accounts.findByEmail(email)
  if (!found) throw new Problem('reset.token')
  const taken = { tokenHash: hashToken(token), userId: found.id, purpose: 'reset' as const, email }
  // Check the link before the password is hashed, so that an invalid link does not cost the processor time of a hash.
  if (!(await accounts.hasMailToken(taken, clock.now()))) throw new Problem('reset.token')
  const passwordHash = await passwords.hash(password, queueCallerOf(address))
  await db.transaction(async (transaction) => {
    const repository = createAccountRepository(transaction)
    const user = await repository.lock(found.id)
    if (!user || !(await repository.takeMailToken(taken, clock.now()))) throw new Problem('reset.token')
    await unlinkProvidersOfUnprovenEmail(transaction, user)
    await repository.update(found.id, { passwordHash, provenEmail: email })
    await repository.deleteMailTokens(found.id)
    await sessions.endAll(transaction, found.id)
  })
  sessions.announceEnd(found.id)
  return found
}
