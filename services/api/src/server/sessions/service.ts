import type { MessageBus } from '@capstan/bus/message-bus'
import { HeaderLimits, Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Database, Executor } from '@capstan/db/client'
import { DatabaseUnavailable } from '@capstan/db/database-error'
import { retryUntilOutcomeKnown } from '@capstan/db/retry-until-known'
import { createCache } from '../changes/cache.ts'
import type { ChangeFeed } from '../changes/feed.ts'
import type { Clock } from '../http/clock.ts'
import { type LoginProof, requireProof } from './proof.ts'
import { createSessionRepository, type SessionRow } from './repository.ts'
import { createSessionToken, hashToken } from './session-token.ts'
import type { SessionUser, SignedInUser } from './session-user.ts'

async function ifAvailable(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return false
    throw error
  }
}

/** Client that opens a session: its address and its `User-Agent` header. */
export type SessionClient = Readonly<{ address: string; userAgent?: string | undefined }>

const lifetimeMs = Limits.sessionDays * 24 * 3600 * 1000

export type SessionServiceDeps = Readonly<{
  db: Database
  bus: MessageBus
  clock: Clock
  changes: ChangeFeed
}>

export function createSessionService({ db, bus, clock, changes }: SessionServiceDeps) {
  const repository = createSessionRepository(db)
  const cache = createCache<string, SignedInUser>({
    feed: changes,
    maxEntries: 20_000,
    dependsOn: ({ id, session }) => [`user ${id}`, `session ${session.tokenHash}`, 'settings signIn'],
  })
  /** Makes open sockets of the user authenticate again, because a session has ended or the user's role has changed. */
  const announceEnd = (userId: string): void => bus.publish({ kind: 'sessions-ended', userId })
  return {
    /**
     * Opens a session and stores the call as the user's last visit.
     * @param proof proof of the login, which is checked again
     * @returns the cookie value and its expiry
     * @throws the problems of `requireProof`
     */
    async open(
      userId: string,
      proof: LoginProof,
      { address, userAgent = '' }: SessionClient,
    ): Promise<{ token: string; expiresAt: Date }> {
      const now = clock.now()
      const token = createSessionToken()
      const expiresAt = new Date(now.getTime() + lifetimeMs)
      const row = {
        ...{ tokenHash: hashToken(token), userId, expiresAt, createdAt: now },
        ...{ userAgent: userAgent.slice(0, Limits.maxUserAgentLength), lastUsedAt: now, lastAddress: address },
        providerId: 'providerId' in proof ? proof.providerId : null,
      }
      await retryUntilOutcomeKnown(() =>
        db.transaction(async (transaction) => {
          await requireProof(transaction, userId, proof)
          await createSessionRepository(transaction).insert(row)
        }),
      )
      await ifAvailable(repository.recordVisit({ userId, at: now, address }))
      return { token, expiresAt }
    },
    /** Finds the user of a session cookie. @returns undefined if the session is unknown or expired */
    async find(token: string): Promise<SignedInUser | undefined> {
      if (token.length > HeaderLimits.maxSessionCookieBytes) return undefined
      const tokenHash = hashToken(token)
      await changes.catchUp()
      const user = await cache.get(tokenHash, () => repository.findUser(tokenHash))
      return user && user.session.expiresAt > clock.now() ? user : undefined
    },
    /** Renews a session after half of its lifetime. @returns the new expiry, or undefined if nothing changed */
    async renewIfNeeded(user: SignedInUser): Promise<Date | undefined> {
      const now = clock.now().getTime()
      if (user.session.expiresAt.getTime() - now > lifetimeMs / 2) return undefined
      const expiresAt = new Date(now + lifetimeMs)
      return (await ifAvailable(repository.renew(user.session.tokenHash, expiresAt))) ? expiresAt : undefined
    },
    list: (user: SessionUser): Promise<SessionRow[]> => repository.list(user.id, clock.now()),
    /**
     * Ends a session of a user.
     * @returns true if the ended session is the session that makes the call
     * @throws Problem `session.unknown`
     */
    async end(user: SessionUser, id: string): Promise<boolean> {
      const tokenHash = await repository.deleteById(user.id, id)
      if (tokenHash === undefined) throw new Problem('session.unknown')
      announceEnd(user.id)
      return tokenHash === user.session?.tokenHash
    },
    /** Returns the identity provider with which the session of this call began. */
    providerOf: async ({ session }: SessionUser): Promise<string | undefined> =>
      session && repository.findProvider(session.tokenHash),
    close: async ({ id, session }: SessionUser): Promise<void> => {
      if (!session) return
      await repository.delete(session.tokenHash)
      announceEnd(id)
    },
    /** Ends all sessions of a user except the given one, in the caller's transaction. Call `announceEnd` after the commit. */
    endAll: (executor: Executor, userId: string, options: { except?: SessionUser } = {}): Promise<void> =>
      createSessionRepository(executor).deleteOfUser(userId, options.except?.session?.tokenHash),
    /**
     * Ends all sessions that began with an identity provider, in the caller's transaction. The session in `except` does not end.
     * @returns ids of the affected users. After the commit, call `announceEnd` for each user.
     */
    endAllOfProvider: (
      executor: Executor,
      providerId: string,
      { userId, except }: { userId?: string; except: SessionUser },
    ): Promise<string[]> => createSessionRepository(executor).deleteOfProvider(providerId, userId, except.session?.tokenHash),
    announceEnd,
    async touch(user: SignedInUser, address: string): Promise<void> {
      const at = clock.now()
      if (await ifAvailable(repository.touch({ userId: user.id, tokenHash: user.session.tokenHash, at, address })))
        user.lastVisitedAt = at
    },
    deleteExpired: (): Promise<void> => repository.deleteExpired(clock.now()),
  }
}

export type SessionService = ReturnType<typeof createSessionService>
