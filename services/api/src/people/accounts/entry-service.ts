import { setTimeout as sleepFor } from 'node:timers/promises'
import { isStrongPassword } from '@capstan/contract/account-rules'
import type { RegisterOutcome } from '@capstan/contract/accounts'
import { addressLimitKey } from '@capstan/contract/addresses'
import { Problem } from '@capstan/contract/problems'
import { retryUntilKnown } from '@capstan/db/retry-until-known'
import type { CaptchaService } from '../../server/captcha/service.ts'
import type { MailContext } from '../../server/mail/service.ts'
import { hashToken } from '../../server/sessions/session-token.ts'
import type { PeopleDeps } from '../deps.ts'
import { loginDelayMs } from './login-delay.ts'
import { type LoginAttempt, loginFailureRepository } from './login-failure-repository.ts'
import { isAllowedDomain, outcomeOfRegistration, refuseLogin, refuseLoginBeforePassword } from './policy.ts'
import { accountRepository, type UserRow } from './repository.ts'
import { type AccountServiceDeps, checkUserName, createLinkSender, type MailedToken, userNameColumns } from './service.ts'

export type EntryServiceDeps = AccountServiceDeps &
  Pick<PeopleDeps, 'sleep'> &
  Readonly<{
    captcha: CaptchaService
  }>

export type Registration = Readonly<{
  userName: string
  password: string
  email: string
  challenge?: string | null
}>

/** Who asks, and where links of mails lead. */
export type EntryContext = MailContext &
  Readonly<{
    address: string
  }>

/**
 * While there are accounts with hashes of other platforms, which take longer to check than ours, no refusal comes sooner than this
 * after the turn to check: how long it takes tells nobody which accounts there are.
 */
const refusedAfterMs = 800

/** How people get in: registration, log-in, activation, recovery. Rules: docs/contract/sessions-and-accounts.md#registration. */
export function createEntryService(deps: EntryServiceDeps) {
  const { db, clock, config, settings, captcha, mail, sessions, passwords, sleep = sleepFor } = deps
  const accounts = accountRepository(db)
  const failures = loginFailureRepository(db)
  const sendLink = createLinkSender(deps)

  /** @throws Problem `email.taken`, `username.taken` */
  const refuseTaken = async (email: string): Promise<never> => {
    throw new Problem((await accounts.findByEmail(email)) ? 'email.taken' : 'username.taken')
  }

  const findLogin = async (attempt: LoginAttempt, password: string): Promise<UserRow> => {
    let atEarliest: Promise<unknown> = Promise.resolve()
    const find = async () => {
      atEarliest = sleepFor(refusedAfterMs, undefined, { ref: false })
      const found = await accounts.findByLogin(attempt.login)
      const early = refuseLoginBeforePassword(found)
      if (early) throw new Problem(early)
      return found
    }
    const { account: user, matches, renewed } = await passwords.checkOf(find, password, addressLimitKey(attempt.address))
    const refusal = refuseLogin(user, matches)
    if (!user || refusal) {
      await failures.fail(attempt, clock.now())
      if (await accounts.hasForeignHashes()) await atEarliest
      throw new Problem(refusal ?? 'login.failed')
    }
    if (renewed !== undefined) await accounts.renewHash(user.id, user.passwordHash, renewed)
    return user
  }

  return {
    /**
     * Creates an account. The address of an account that was never activated goes on with that account.
     * @returns the account and what it waits for; `LoggedIn`: the caller opens its session
     * @throws Problem `register.closed`, `captcha.failed`, `email.domain`, `email.taken`, `username.taken`,
     *   `name.unreadable`, `username.address`, `password.weak`, `request.rate-limited`, `email.not-sent`, checked in the order of
     *   docs/contract/sessions-and-accounts.md#registration
     */
    async register(request: Registration, context: EntryContext): Promise<{ user: UserRow; outcome: RegisterOutcome }> {
      const policy = (await settings.read()).accountPolicy
      if (!policy.allowRegister) throw new Problem('register.closed')
      await captcha.check(request.challenge, context.address)
      if (!isAllowedDomain(request.email, policy.emailDomainList)) throw new Problem('email.domain')

      const existing = await accounts.findByEmail(request.email)
      if (existing?.emailConfirmed) throw new Problem('email.taken')
      const userName = request.userName.trim()
      if (!existing) checkUserName(userName)
      if (!existing && !isStrongPassword(request.password)) throw new Problem('password.weak')
      const outcome = outcomeOfRegistration(policy)
      if (existing && outcome === 'LoggedIn') throw new Problem('email.taken')
      const passwordHash = existing ? undefined : await passwords.hash(request.password, addressLimitKey(context.address))

      const user = await db.transaction(async (transaction) => {
        const now = clock.now()
        const made = passwordHash
          ? await accountRepository(transaction).insertUnlessTaken({
              ...userNameColumns(userName),
              email: request.email,
              passwordHash,
              emailConfirmed: outcome === 'LoggedIn',
              registeredAt: now,
              lastVisitedAt: now,
              lastAddress: context.address,
            })
          : undefined
        const account = made ?? existing
        if (account && outcome === 'EmailConfirmationRequired')
          await sendLink(transaction, context, { user: account, purpose: 'activation', email: account.email })
        return account
      })
      return { user: user ?? (await refuseTaken(request.email)), outcome }
    },

    /**
     * Checks name or address and password. Unknown name, wrong password and missing activation look and last the same.
     * @returns the account, whose session the caller opens
     * @throws Problem `captcha.failed`, `login.banned`, `login.failed`, `server.unavailable` when too many are being looked at
     */
    async logIn(
      request: { userName: string; password: string; challenge?: string | null },
      context: EntryContext,
    ): Promise<UserRow> {
      await captcha.check(request.challenge, context.address)
      const attempt = { login: request.userName.trim(), address: context.address }
      // Off together with the rate limits.
      if (!config.rateLimits) return findLogin(attempt, request.password)
      const delayMs = loginDelayMs(await retryUntilKnown(() => failures.begin(attempt, clock.now())))
      if (delayMs > 0) await sleep(delayMs)
      const user = await findLogin(attempt, request.password)
      await retryUntilKnown(() => failures.forgetAccount(attempt))
      return user
    },

    /**
     * Activates an account by its mailed link.
     * @returns the account, whose session the caller opens
     * @throws Problem `account.verify-failed` for an unknown address, `account.already-active`, `account.token`
     */
    verify: ({ email, token }: MailedToken): Promise<UserRow> =>
      db.transaction(async (transaction) => {
        const repository = accountRepository(transaction)
        const found = await repository.findByEmail(email)
        const user = found && (await repository.lock(found.id))
        if (!user) throw new Problem('account.verify-failed')
        if (user.emailConfirmed) throw new Problem('account.already-active')
        const now = clock.now()
        const taken = { tokenHash: hashToken(token), userId: user.id, purpose: 'activation' as const, email }
        if (!(await repository.takeMailToken(taken, now))) throw new Problem('account.token')
        await repository.update(user.id, { emailConfirmed: true, registeredAt: now })
        await repository.deleteMailTokens(user.id)
        return { ...user, emailConfirmed: true, registeredAt: now }
      }),

    /**
     * Mails a link to choose a new password.
     * @throws Problem `captcha.failed`, `account.unknown` (also when not activated), `reset.by-admin`, `email.not-sent`,
     *   `request.rate-limited`
     */
    async requestPasswordReset(email: string, challenge: string | null | undefined, context: EntryContext): Promise<UserRow> {
      await captcha.check(challenge, context.address)
      const user = await accounts.findByEmail(email)
      if (!user?.emailConfirmed) throw new Problem('account.unknown')
      if (!(await settings.read()).accountPolicy.emailConfirmationRequired) throw new Problem('reset.by-admin')
      mail.refuseWithoutServer()
      const isOwner = addressLimitKey(user.lastAddress) === addressLimitKey(context.address)
      const to = { user, purpose: 'reset', email: user.email, isOwner } as const
      await db.transaction((transaction) => sendLink(transaction, context, to))
      return user
    },

    /** Sets a new password by a mailed link and ends all sessions. @throws Problem `password.weak`, `reset.token` */
    async resetPassword({ email, token }: MailedToken, password: string, address: string): Promise<UserRow> {
      if (!isStrongPassword(password)) throw new Problem('password.weak')
      const found = await accounts.findByEmail(email)
      if (!found) throw new Problem('reset.token')
      const taken = { tokenHash: hashToken(token), userId: found.id, purpose: 'reset' as const, email }
      // Whoever has no good link costs no hash, and keeps nobody waiting.
      if (!(await accounts.hasMailToken(taken, clock.now()))) throw new Problem('reset.token')
      const passwordHash = await passwords.hash(password, addressLimitKey(address))
      await db.transaction(async (transaction) => {
        const repository = accountRepository(transaction)
        await repository.lock(found.id)
        if (!(await repository.takeMailToken(taken, clock.now()))) throw new Problem('reset.token')
        await repository.update(found.id, { passwordHash })
        await repository.deleteMailTokens(found.id)
        await sessions.endAll(transaction, found.id)
      })
      sessions.announceEnd(found.id)
      return found
    },
  }
}
