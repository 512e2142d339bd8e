import type { MessageBus } from '@capstan/bus/message-bus'
import { HeaderLimits, Limits } from '@capstan/contract/limits'
import type { Database, Executor } from '@capstan/db/client'
import { DatabaseUnavailable } from '@capstan/db/database-error'
import { retryUntilKnown } from '@capstan/db/retry-until-known'
import { createCache } from '../changes/cache.ts'
import type { ChangeFeed } from '../changes/feed.ts'
import type { Clock } from '../http/clock.ts'
import { sessionRepository } from './repository.ts'
import { createSessionToken, hashToken } from './session-token.ts'
import type { SessionUser, SignedInUser } from './session-user.ts'

/** Not worth failing a call for: the next one does it. @returns whether it was done */
async function ifThere(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return false
    throw error
  }
}

const lifetimeMs = Limits.sessionDays * 24 * 3600 * 1000

export type SessionServiceDeps = Readonly<{
  db: Database
  bus: MessageBus
  clock: Clock
  changes: ChangeFeed
}>

export function createSessionService({ db, bus, clock, changes }: SessionServiceDeps) {
  const repository = sessionRepository(db)
  const kept = createCache<string, SignedInUser>({
    feed: changes,
    maxEntries: 20_000,
    dependsOn: ({ id, session }) => [`user ${id}`, `session ${session.tokenHash}`],
  })
  return {
    /** Opens a session, which is a visit too. @param address of who opens it @returns the cookie value and its end */
    async open(userId: string, address: string): Promise<{ token: string; expiresAt: Date }> {
      const now = clock.now()
      const token = createSessionToken()
      const expiresAt = new Date(now.getTime() + lifetimeMs)
      const row = { tokenHash: hashToken(token), userId, expiresAt }
      await retryUntilKnown(() => repository.insert(row))
      await ifThere(repository.recordVisit({ userId, at: now, address }))
      return { token, expiresAt }
    },
    /** Who the cookie belongs to; undefined when it is unknown or over. */
    async find(token: string): Promise<SignedInUser | undefined> {
      if (token.length > HeaderLimits.sessionCookieMaxBytes) return undefined
      const tokenHash = hashToken(token)
      await changes.catchUp()
      const user = await kept.get(tokenHash, () => repository.findUser(tokenHash))
      return user && user.session.expiresAt > clock.now() ? user : undefined
    },
    /** Prolongs a session that is more than half over. @returns its new end, or undefined when nothing changed */
    async renewIfNeeded(user: SignedInUser): Promise<Date | undefined> {
      const now = clock.now().getTime()
      if (user.session.expiresAt.getTime() - now > lifetimeMs / 2) return undefined
      const expiresAt = new Date(now + lifetimeMs)
      return (await ifThere(repository.renew(user.session.tokenHash, expiresAt))) ? expiresAt : undefined
    },
    close: async ({ session }: SessionUser): Promise<void> => {
      if (session) await repository.delete(session.tokenHash)
    },
    /**
     * Ends all sessions of a user at once, but the one given, together with the change that asks for it.
     * Call `announceEnd` after the commit.
     */
    endAll: (executor: Executor, userId: string, options: { except?: SessionUser } = {}): Promise<void> =>
      sessionRepository(executor).deleteOfUser(userId, options.except?.session?.tokenHash),
    /** Open sockets of the user authenticate again: its sessions have ended or its role is another one. */
    announceEnd(userId: string): void {
      bus.publish({ kind: 'sessions-ended', userId })
    },
    async touch(user: SignedInUser, address: string): Promise<void> {
      const at = clock.now()
      if (await ifThere(repository.touch({ userId: user.id, at, address }))) user.lastVisitedAt = at
    },
    deleteExpired: (): Promise<void> => repository.deleteExpired(clock.now()),
  }
}

export type SessionService = ReturnType<typeof createSessionService>
