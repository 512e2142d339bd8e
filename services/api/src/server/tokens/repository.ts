import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { games } from '@capstan/db/schema/games'
import { apiTokens } from '@capstan/db/schema/tokens'
import { and, count, desc, eq } from 'drizzle-orm'

type TokenRow = typeof apiTokens.$inferSelect

export type NamedToken = TokenRow &
  Readonly<{
    creator: string
    gameTitle: string | null
  }>

export function createTokenRepository(db: Executor) {
  const select = () =>
    db
      .select({ token: apiTokens, creator: users.userName, gameTitle: games.title })
      .from(apiTokens)
      .innerJoin(users, eq(users.id, apiTokens.creatorId))
      .leftJoin(games, eq(games.id, apiTokens.gameId))
  const flatten = ({ token, ...names }: Awaited<ReturnType<typeof select>>[number]): NamedToken => ({ ...token, ...names })
  return {
    async list(): Promise<NamedToken[]> {
      return (await select().orderBy(desc(apiTokens.createdAt), apiTokens.id)).map(flatten)
    },
    async find(id: string): Promise<NamedToken | undefined> {
      const [row] = await select().where(eq(apiTokens.id, id))
      return row && flatten(row)
    },
    /** Finds a token with its creator, on whose behalf the token acts. */
    async findHolder(id: string) {
      const [row] = await db
        .select({ token: apiTokens, user: { userName: users.userName, role: users.role }, isActive: users.emailConfirmed })
        .from(apiTokens)
        .innerJoin(users, eq(users.id, apiTokens.creatorId))
        .where(eq(apiTokens.id, id))
      return row
    },
    async count(): Promise<number> {
      const [row] = await db.select({ count: count() }).from(apiTokens)
      return row?.count ?? 0
    },
    async gameExists(id: number): Promise<boolean> {
      return (await db.select({ id: games.id }).from(games).where(eq(games.id, id))).length > 0
    },
    async insert(row: typeof apiTokens.$inferInsert): Promise<void> {
      await db.insert(apiTokens).values(row)
    },
    async setRevoked(id: string, isRevoked: boolean): Promise<TokenRow | undefined> {
      const [row] = await db.update(apiTokens).set({ isRevoked }).where(eq(apiTokens.id, id)).returning()
      return row
    },
    async delete(id: string): Promise<TokenRow | undefined> {
      const [row] = await db.delete(apiTokens).where(eq(apiTokens.id, id)).returning()
      return row
    },
    async deleteOfCreator(creatorId: string): Promise<void> {
      await db.delete(apiTokens).where(eq(apiTokens.creatorId, creatorId))
    },
    async recordUse(id: string, at: Date): Promise<void> {
      await db
        .update(apiTokens)
        .set({ lastUsedAt: at })
        .where(and(eq(apiTokens.id, id), eq(apiTokens.isRevoked, false)))
    },
  }
}
