import type { MessageBus } from '@capstan/bus/message-bus'
import { Limits } from '@capstan/contract/limits'
import type { Database, Executor } from '@capstan/db/client'
import type { Clock } from '../http/clock.ts'
import { type SessionUser, sessionRepository } from './repository.ts'
import { createSessionToken, hashToken } from './session-token.ts'

const lifetimeMs = Limits.sessionDays * 24 * 3600 * 1000

export const createSessionService = ({ db, bus, clock }: { db: Database; bus: MessageBus; clock: Clock }) => {
  const repository = sessionRepository(db)
  return {
    /** Opens a session. @returns the cookie value and its end */
    async open(userId: string, executor: Executor = db): Promise<{ token: string; expiresAt: Date }> {
      const token = createSessionToken()
      const expiresAt = new Date(clock.now().getTime() + lifetimeMs)
      await sessionRepository(executor).insert({ tokenHash: hashToken(token), userId, expiresAt })
      return { token, expiresAt }
    },
    /** Who the cookie belongs to; undefined when it is unknown or over. */
    find: (token: string): Promise<SessionUser | undefined> => repository.findUser(hashToken(token), clock.now()),
    /** Prolongs a session that is more than half over. @returns its new end, or undefined when nothing changed */
    async renewIfNeeded(user: SessionUser): Promise<Date | undefined> {
      const now = clock.now().getTime()
      if (user.session.expiresAt.getTime() - now > lifetimeMs / 2) return undefined
      const expiresAt = new Date(now + lifetimeMs)
      await repository.renew(user.session.tokenHash, expiresAt)
      return expiresAt
    },
    close: (user: SessionUser): Promise<void> => repository.delete(user.session.tokenHash),
    /**
     * Ends all sessions of a user at once (design §5), but the one given, together with the change that asks for it.
     * Call `announceEnd` after the commit.
     */
    endAll: (executor: Executor, userId: string, options: { except?: SessionUser } = {}): Promise<void> =>
      sessionRepository(executor).deleteOfUser(userId, options.except?.session.tokenHash),
    /** Open sockets of the user authenticate again: its sessions have ended or its role is another one. */
    announceEnd(userId: string): void {
      bus.publish({ kind: 'sessions-ended', userId })
    },
    async touch(user: SessionUser, address: string): Promise<void> {
      await repository.touch({ userId: user.id, at: clock.now(), address })
    },
    deleteExpired: (): Promise<void> => repository.deleteExpired(clock.now()),
  }
}

export type SessionService = ReturnType<typeof createSessionService>
