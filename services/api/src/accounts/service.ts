import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { AppDeps } from '../app-types.ts'
import { convertImage } from '../files/images.ts'
import { createFileService } from '../files/service.ts'
import type { MailContext, MailService } from '../mail/service.ts'
import type { SessionUser } from '../sessions/repository.ts'
import type { SessionService } from '../sessions/service.ts'
import { createSessionToken, hashToken } from '../sessions/session-token.ts'
import type { SettingsService } from '../settings/service.ts'
import { checkPassword, hashPassword, isStrongPassword } from './password.ts'
import { isAllowedDomain } from './policy.ts'
import { accountRepository, type MailPurpose, type UserRow } from './repository.ts'

export { hashPassword, isStrongPassword } from './password.ts'
export { presentProfile } from './presenter.ts'
export type { UserRow } from './repository.ts'

export interface AccountServiceDeps extends Pick<AppDeps, 'db' | 'blobs' | 'clock' | 'config'> {
  readonly mail: MailService
  readonly settings: SettingsService
  readonly sessions: SessionService
}

const tokenLifetimeMs = Limits.mailTokenHours * 3600_000

/** Changes of the own profile; absent and null members stay, an empty phone is cleared. */
export interface ProfileChange {
  readonly userName?: string | null
  readonly bio?: string | null
  readonly phone?: string | null
  readonly realName?: string | null
  readonly stdNumber?: string | null
}

/** Columns of a profile change. */
export const profileColumns = ({ userName, bio, phone, realName, stdNumber }: ProfileChange) => ({
  ...(userName != null && { userName: userName.trim() }),
  ...(bio != null && { bio }),
  ...(phone != null && { phone: phone === '' ? null : phone }),
  ...(realName != null && { realName }),
  ...(stdNumber != null && { stdNumber }),
})

/** A token in a mailed link, as it comes back. */
export interface MailedToken {
  readonly email: string
  readonly token: string
}

/** A mail with a new token; the mail and the token's row are written together. */
export const createLinkSender =
  ({ mail, clock }: Pick<AccountServiceDeps, 'mail' | 'clock'>) =>
  async (executor: Executor, context: MailContext, to: { user: UserRow; purpose: MailPurpose; email: string }): Promise<void> => {
    const token = createSessionToken()
    await accountRepository(executor).insertMailToken({
      tokenHash: hashToken(token),
      userId: to.user.id,
      purpose: to.purpose,
      email: to.email,
      expiresAt: new Date(clock.now().getTime() + tokenLifetimeMs),
    })
    await mail.sendLink(executor, context, { purpose: to.purpose, userName: to.user.userName, email: to.email, token })
  }

/** The own account of a signed-in user. Behaviour §3. Registration and log-in are in `entry-service.ts`. */
export const createAccountService = (deps: AccountServiceDeps) => {
  const { db, clock, mail, settings, sessions } = deps
  const accounts = accountRepository(db)
  const files = createFileService(deps)
  const sendLink = createLinkSender(deps)

  const get = async (id: string): Promise<UserRow> => {
    const user = await accounts.find(id)
    if (!user) throw new Problem('user.unknown')
    return user
  }

  return {
    /** @throws Problem `user.unknown` */
    get,

    /** @throws Problem `username.taken`, from the database's constraint */
    async updateProfile(id: string, change: ProfileChange): Promise<void> {
      if (change.userName != null && [...change.userName.trim()].length < 3)
        throw new Problem('request.invalid', { detail: '/userName' })
      await accounts.update(id, profileColumns(change))
    },

    /** Ends all other sessions at once. @throws Problem `password.wrong`, `password.weak` */
    async changePassword(user: SessionUser, old: string, wanted: string): Promise<void> {
      const { passwordHash } = await get(user.id)
      if (!(await checkPassword(passwordHash, old))) throw new Problem('password.wrong')
      if (!isStrongPassword(wanted)) throw new Problem('password.weak')
      const next = await hashPassword(wanted)
      await db.transaction(async (transaction) => {
        const repository = accountRepository(transaction)
        const locked = await repository.lock(user.id)
        // Somebody else knew the old one too, and was faster.
        if (locked?.passwordHash !== passwordHash) throw new Problem('password.wrong')
        await repository.update(user.id, { passwordHash: next })
        await repository.deleteMailTokens(user.id)
        await sessions.endAll(transaction, user.id, { except: user })
      })
      sessions.announceEnd(user.id)
    },

    /**
     * Mails a link to the new address; the old one stays until it is opened.
     * @returns false: only an admin can change addresses here
     * @throws Problem `email.taken`, `email.domain`, `email.not-sent`
     */
    async requestEmailChange(id: string, email: string, context: MailContext): Promise<boolean> {
      const policy = (await settings.read()).accountPolicy
      if (await accounts.findByEmail(email)) throw new Problem('email.taken')
      if (!isAllowedDomain(email, policy.emailDomainList)) throw new Problem('email.domain')
      if (!policy.emailConfirmationRequired) return false
      mail.refuseWithoutServer()
      const user = await get(id)
      await db.transaction((transaction) => sendLink(transaction, context, { user, purpose: 'address-change', email }))
      return true
    },

    /** Sets the confirmed address; ends all other sessions. @throws Problem `email.token`, `email.taken` */
    async confirmEmailChange(user: SessionUser, { email, token }: MailedToken): Promise<void> {
      await db.transaction(async (transaction) => {
        const repository = accountRepository(transaction)
        await repository.lock(user.id)
        const taken = { tokenHash: hashToken(token), userId: user.id, purpose: 'address-change' as const, email }
        if (!(await repository.takeMailToken(taken, clock.now()))) throw new Problem('email.token')
        await repository.update(user.id, { email, emailConfirmed: true })
        await repository.deleteMailTokens(user.id)
        await sessions.endAll(transaction, user.id, { except: user })
      })
      sessions.announceEnd(user.id)
    },

    /** Replaces the avatar. @returns its address with file name @throws Problem `file.unreadable` and the like */
    async setAvatar(id: string, bytes: Buffer): Promise<string> {
      const image = await convertImage('avatar', bytes)
      let released: string | null = null
      const stored = await files.store(image.bytes, image.name, {
        adopt: async (transaction, { hash }) => {
          const repository = accountRepository(transaction)
          const user = await repository.lock(id)
          if (!user) throw new Problem('user.unknown')
          released = user.avatarHash
          await repository.update(id, { avatarHash: hash })
          await files.release(transaction, [released])
        },
      })
      await files.sweep([released])
      return `/assets/${stored.hash}/${image.name}`
    },
  }
}

export type AccountService = ReturnType<typeof createAccountService>
