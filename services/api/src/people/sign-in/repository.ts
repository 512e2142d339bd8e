import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { signInIdentities, signInProviders, signInTeams } from '@capstan/db/schema/sign-in'
import { and, asc, count, eq, inArray, ne } from 'drizzle-orm'

export type ProviderRow = typeof signInProviders.$inferSelect
export type IdentityRow = typeof signInIdentities.$inferSelect

export function createSignInRepository(db: Executor) {
  return {
    list: (): Promise<ProviderRow[]> =>
      db.select().from(signInProviders).orderBy(asc(signInProviders.name), asc(signInProviders.id)),
    async find(id: string): Promise<ProviderRow | undefined> {
      const [row] = await db.select().from(signInProviders).where(eq(signInProviders.id, id))
      return row
    },
    async findByKey(key: string): Promise<ProviderRow | undefined> {
      const [row] = await db.select().from(signInProviders).where(eq(signInProviders.key, key))
      return row
    },
    /** Locks the list of providers, so that concurrent changes cannot together violate a rule about the whole list. */
    async lockAll(): Promise<ProviderRow[]> {
      return db.select().from(signInProviders).for('update')
    },
    async insert(row: typeof signInProviders.$inferInsert): Promise<boolean> {
      return (await db.insert(signInProviders).values(row).onConflictDoNothing().returning({ id: signInProviders.id })).length > 0
    },
    async isKeyTaken(key: string, exceptId: string): Promise<boolean> {
      const found = and(eq(signInProviders.key, key), ne(signInProviders.id, exceptId))
      return (await db.select({ id: signInProviders.id }).from(signInProviders).where(found)).length > 0
    },
    async update(id: string, values: Partial<typeof signInProviders.$inferInsert>): Promise<void> {
      await db.update(signInProviders).set(values).where(eq(signInProviders.id, id))
    },
    async delete(id: string): Promise<ProviderRow | undefined> {
      const [row] = await db.delete(signInProviders).where(eq(signInProviders.id, id)).returning()
      return row
    },
    /** True if users or teams are linked to a provider. */
    async hasLinks(id: string): Promise<boolean> {
      const rows = await db
        .select({ id: signInIdentities.providerId })
        .from(signInIdentities)
        .where(eq(signInIdentities.providerId, id))
        .unionAll(db.select({ id: signInTeams.providerId }).from(signInTeams).where(eq(signInTeams.providerId, id)))
        .limit(1)
      return rows.length > 0
    },
    /** Counts the linked accounts of each provider. */
    async countUsers(): Promise<ReadonlyMap<string, number>> {
      const rows = await db
        .select({ id: signInIdentities.providerId, users: count() })
        .from(signInIdentities)
        .groupBy(signInIdentities.providerId)
      return new Map(rows.map(({ id, users: linked }) => [id, linked]))
    },
    /** Finds the user who is linked to an account at a provider. */
    async findUser(providerId: string, subject: string): Promise<typeof users.$inferSelect | undefined> {
      const [row] = await db
        .select({ user: users })
        .from(signInIdentities)
        .innerJoin(users, eq(users.id, signInIdentities.userId))
        .where(and(eq(signInIdentities.providerId, providerId), eq(signInIdentities.subject, subject)))
      return row?.user
    },
    /** Locks a provider, so that concurrent sign-ins create only one team for each team key. */
    async lockProvider(id: string): Promise<void> {
      await db.select({ id: signInProviders.id }).from(signInProviders).where(eq(signInProviders.id, id)).for('no key update')
    },
    async lockIdentity(providerId: string, subject: string): Promise<IdentityRow | undefined> {
      const found = and(eq(signInIdentities.providerId, providerId), eq(signInIdentities.subject, subject))
      const [row] = await db.select().from(signInIdentities).where(found).for('no key update')
      return row
    },
    async updateIdentity(
      { providerId, subject }: Pick<IdentityRow, 'providerId' | 'subject'>,
      values: Partial<Pick<IdentityRow, 'division' | 'teamKey'>>,
    ): Promise<void> {
      await db
        .update(signInIdentities)
        .set(values)
        .where(and(eq(signInIdentities.providerId, providerId), eq(signInIdentities.subject, subject)))
    },
    /** Finds the local team that is linked to a team of a provider. */
    async findTeam(providerId: string, key: string): Promise<number | undefined> {
      const found = and(eq(signInTeams.providerId, providerId), eq(signInTeams.key, key))
      const [row] = await db.select({ id: signInTeams.teamId }).from(signInTeams).where(found)
      return row?.id
    },
    /** Finds the team of a provider that is linked to a local team. */
    async findLink(teamId: number): Promise<{ providerId: string; name: string; key: string } | undefined> {
      const [row] = await db
        .select({ providerId: signInTeams.providerId, name: signInProviders.name, key: signInTeams.key })
        .from(signInTeams)
        .innerJoin(signInProviders, eq(signInProviders.id, signInTeams.providerId))
        .where(eq(signInTeams.teamId, teamId))
      return row
    },
    async deleteLink(teamId: number): Promise<void> {
      await db.delete(signInTeams).where(eq(signInTeams.teamId, teamId))
    },
    async insertTeam(row: typeof signInTeams.$inferInsert): Promise<void> {
      await db.insert(signInTeams).values(row)
    },
    async findTeamsOfProviders(teamIds: readonly number[]): Promise<ReadonlySet<number>> {
      const rows = await db
        .select({ id: signInTeams.teamId })
        .from(signInTeams)
        .where(inArray(signInTeams.teamId, [...teamIds]))
      return new Set(rows.map(({ id }) => id))
    },
    /** Lists the divisions that providers sent for a user. Omits providers for which no division claim is configured any more. */
    async listDivisions(userId: string): Promise<string[]> {
      const rows = await db
        .select({ division: signInIdentities.division, claims: signInProviders.claims })
        .from(signInIdentities)
        .innerJoin(signInProviders, eq(signInProviders.id, signInIdentities.providerId))
        .where(and(eq(signInIdentities.userId, userId), ne(signInIdentities.division, ''), eq(signInProviders.isEnabled, true)))
      return rows.filter(({ claims }) => claims.division).map(({ division }) => division)
    },
    listIdentities(userId: string) {
      return db
        .select({ identity: signInIdentities, key: signInProviders.key, name: signInProviders.name })
        .from(signInIdentities)
        .innerJoin(signInProviders, eq(signInProviders.id, signInIdentities.providerId))
        .where(eq(signInIdentities.userId, userId))
        .orderBy(asc(signInProviders.name), asc(signInProviders.id))
    },
    /**
     * Links a user to an account at a provider.
     * @returns false if that account is linked already, or if the user already has an account at this provider
     */
    async link(row: typeof signInIdentities.$inferInsert): Promise<boolean> {
      const inserted = await db
        .insert(signInIdentities)
        .values(row)
        .onConflictDoNothing()
        .returning({ userId: signInIdentities.userId })
      return inserted.length > 0
    },
    async unlinkAll(userId: string): Promise<void> {
      await db.delete(signInIdentities).where(eq(signInIdentities.userId, userId))
    },
    async unlink(userId: string, providerId: string): Promise<void> {
      await db
        .delete(signInIdentities)
        .where(and(eq(signInIdentities.userId, userId), eq(signInIdentities.providerId, providerId)))
    },
  }
}
