import { randomUUID } from 'node:crypto'
import type { MessageBus } from '@capstan/bus/message-bus'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { TokenGrant } from '@capstan/contract/token-access'
import type { ApiTokenCreate } from '@capstan/contract/tokens'
import type { Database, Executor } from '@capstan/db/client'
import { DatabaseUnavailable } from '@capstan/db/database-error'
import { deriveApiTokenKey, signApiToken, verifyApiToken } from '../../rules/signing/api-token.ts'
import { createCache } from '../changes/cache.ts'
import type { ChangeFeed } from '../changes/feed.ts'
import type { ApiConfig } from '../config.ts'
import type { Clock } from '../http/clock.ts'
import type { SessionUser } from '../sessions/session-user.ts'
import { createTokenRepository, type NamedToken } from './repository.ts'

const dayMs = 24 * 3_600_000
function secondsOf(instant: Date): number {
  return Math.floor(instant.getTime() / 1000)
}

/** Minimum time between two records of a token's last use, in ms. */
const minUseIntervalMs = 60_000

interface Holder {
  readonly id: string
  readonly name: string
  readonly grant: TokenGrant
  readonly isRevoked: boolean
  readonly expiresAt: Date | null
  lastUsedAt: Date | null
  /** True unless the creator is deactivated. */
  readonly isCreatorActive: boolean
  readonly user: Pick<SessionUser, 'id' | 'userName' | 'role'>
}

export type TokenServiceDeps = Readonly<{
  db: Database
  bus: MessageBus
  clock: Clock
  config: Pick<ApiConfig, 'secretKey'>
  changes: ChangeFeed
}>

/** Deletes all tokens that a user created. Call `announceEnd` of the sessions after the commit. */
export function deleteTokensOfUser(executor: Executor, userId: string): Promise<void> {
  return createTokenRepository(executor).deleteOfCreator(userId)
}

/** API tokens. Rules: docs/contract/tokens.md. */
export function createTokenService({ db, bus, clock, config, changes }: TokenServiceDeps) {
  const tokens = createTokenRepository(db)
  const key = deriveApiTokenKey(config.secretKey)
  const cache = createCache<string, Holder>({
    feed: changes,
    maxEntries: Limits.maxTokens,
    dependsOn: ({ id, user }) => [`token ${id}`, `user ${user.id}`],
  })

  const load = async (id: string): Promise<Holder | undefined> => {
    const row = await tokens.findHolder(id)
    if (!row) return undefined
    const { name, scope, gameId, isRevoked, expiresAt, lastUsedAt, creatorId } = row.token
    const user = { id: creatorId, ...row.user }
    return { id, name, grant: { scope, gameId }, isRevoked, expiresAt, lastUsedAt, isCreatorActive: row.isActive, user }
  }

  /** Stores the time of the last use. A failed write does not fail the call, since the next call stores the time again. */
  const recordUse = async (holder: Holder): Promise<void> => {
    const now = clock.now()
    if (holder.lastUsedAt !== null && now.getTime() - holder.lastUsedAt.getTime() < minUseIntervalMs) return
    const before = holder.lastUsedAt
    holder.lastUsedAt = now
    try {
      await tokens.recordUse(holder.id, now)
    } catch (error) {
      holder.lastUsedAt = before
      if (!(error instanceof DatabaseUnavailable)) throw error
    }
  }

  /** Asks all open WebSockets of the token's creator to check access again. */
  const announceEnd = ({ creatorId }: { creatorId: string }): void => bus.publish({ kind: 'sessions-ended', userId: creatorId })

  return {
    list: (): Promise<NamedToken[]> => tokens.list(),
    /** @throws Problem `token.platform-game`, `token.too-many`, `game.unknown` */
    async create(creator: Pick<SessionUser, 'id'>, wanted: ApiTokenCreate): Promise<{ token: string; info: NamedToken }> {
      const { scope = 'ReadGame', expiresIn } = wanted
      const gameId = wanted.gameId ?? null
      if (scope === 'WritePlatform' && gameId !== null) throw new Problem('token.platform-game')
      if (gameId !== null && !(await tokens.gameExists(gameId))) throw new Problem('game.unknown')
      // Two concurrent calls may exceed the limit. This is harmless, because the limit only ensures that the list remains
      // readable.
      if ((await tokens.count()) >= Limits.maxTokens) throw new Problem('token.too-many')
      const createdAt = clock.now()
      const expiresAt = expiresIn ? new Date(createdAt.getTime() + expiresIn * dayMs) : null
      const id = randomUUID()
      await tokens.insert({ id, name: wanted.name.trim(), creatorId: creator.id, scope, gameId, createdAt, expiresAt })
      const info = await tokens.find(id)
      if (!info) throw new Problem('token.unknown')
      const payload = { jti: id, iat: secondsOf(createdAt), ...(expiresAt && { exp: secondsOf(expiresAt) }) }
      return { token: signApiToken(payload, key), info }
    },
    /** @returns the token's name @throws Problem `token.unknown` */
    async setRevoked(id: string, isRevoked: boolean): Promise<string> {
      const row = await tokens.setRevoked(id, isRevoked)
      if (!row) throw new Problem('token.unknown')
      if (isRevoked) announceEnd(row)
      return row.name
    },
    /** @returns the token's name @throws Problem `token.unknown` */
    async remove(id: string): Promise<string> {
      const row = await tokens.delete(id)
      if (!row) throw new Problem('token.unknown')
      announceEnd(row)
      return row.name
    },
    /**
     * Authenticates a token.
     * @returns the user on whose behalf the token acts
     * @throws Problem `token.invalid`, `token.revoked`, `token.expired`, `token.creator`
     */
    async authenticate(token: string): Promise<SessionUser & { readonly token: NonNullable<SessionUser['token']> }> {
      const id = verifyApiToken(token, key)
      if (id === undefined) throw new Problem('token.invalid')
      await changes.catchUp()
      const holder = await cache.get(id, () => load(id))
      if (!holder) throw new Problem('token.invalid')
      if (holder.isRevoked) throw new Problem('token.revoked')
      if (holder.expiresAt !== null && holder.expiresAt <= clock.now()) throw new Problem('token.expired')
      if (holder.user.role !== 'Admin' || !holder.isCreatorActive) throw new Problem('token.creator')
      await recordUse(holder)
      return { ...holder.user, lastVisitedAt: clock.now(), token: { id, name: holder.name, ...holder.grant } }
    },
  }
}

export type TokenService = ReturnType<typeof createTokenService>
