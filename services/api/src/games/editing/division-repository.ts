import type { Executor } from '@capstan/db/client'
import { challenges, divisionChallenges } from '@capstan/db/schema/challenges'
import { divisions, participations } from '@capstan/db/schema/games'
import { teamMembers } from '@capstan/db/schema/teams'
import { and, asc, eq, inArray, max, notInArray, sql } from 'drizzle-orm'
import type { Division, DivisionEntry, DivisionOverride, OverrideRow } from './divisions.ts'

const columns = {
  id: divisions.id,
  name: divisions.name,
  inviteCode: divisions.inviteCode,
  permissions: divisions.permissions,
}

export function createDivisionRepository(db: Executor) {
  const list = (gameId: number): Promise<Division[]> =>
    db.select(columns).from(divisions).where(eq(divisions.gameId, gameId)).orderBy(asc(divisions.position), asc(divisions.id))
  return {
    /** Lists divisions in the organizer's order. */
    list,
    async listOf(gameIds: readonly number[]): Promise<Map<number, Division[]>> {
      const rows =
        gameIds.length === 0
          ? []
          : await db
              .select({ gameId: divisions.gameId, division: columns })
              .from(divisions)
              .where(inArray(divisions.gameId, [...gameIds]))
              .orderBy(asc(divisions.position), asc(divisions.id))
      const byGame = Map.groupBy(rows, ({ gameId }) => gameId)
      return new Map([...byGame].map(([id, list]) => [id, list.map(({ division }) => division)]))
    },
    /** Writes names, codes and order. A division whose name already exists retains its id and rights. */
    async replace(gameId: number, entries: readonly DivisionEntry[]): Promise<Division[]> {
      const names = entries.map(({ name }) => name)
      await db.delete(divisions).where(and(eq(divisions.gameId, gameId), notInArray(divisions.name, names)))
      if (entries.length > 0)
        await db
          .insert(divisions)
          .values(
            entries.map(({ name, inviteCode, permissions }, position) => ({ gameId, name, inviteCode, permissions, position })),
          )
          .onConflictDoUpdate({
            target: [divisions.gameId, divisions.name],
            set: { inviteCode: sql`excluded.invite_code`, position: sql`excluded.position` },
          })
      return list(gameId)
    },
    async insert(gameId: number, entry: DivisionEntry): Promise<Division> {
      const [last] = await db
        .select({ position: max(divisions.position) })
        .from(divisions)
        .where(eq(divisions.gameId, gameId))
      const position = (last?.position ?? -1) + 1
      const [row] = await db
        .insert(divisions)
        .values({ gameId, position, ...entry })
        .returning(columns)
      if (!row) throw new Error('Inserting a division returned no row')
      return row
    },
    async update(id: number, { name, inviteCode, permissions }: DivisionEntry): Promise<Division> {
      const [row] = await db
        .update(divisions)
        .set({ name, inviteCode, permissions })
        .where(eq(divisions.id, id))
        .returning(columns)
      if (!row) throw new Error('Updating a locked division returned no row')
      return row
    },
    /**
     * Deletes a division. Before that, sets the name of the division to an empty text, because the frozen board needs a record of
     * this change (ADR 60).
     */
    async delete(id: number): Promise<void> {
      await db.update(divisions).set({ name: '' }).where(eq(divisions.id, id))
      await db.delete(divisions).where(eq(divisions.id, id))
    },
    /** Moves all teams of a division to another division. If `to` is null, the teams then have no division. */
    async moveTeams(gameId: number, from: string, to: string | null): Promise<void> {
      await db
        .update(participations)
        .set({ division: to })
        .where(and(eq(participations.gameId, gameId), eq(participations.division, from)))
    },
    listOverrides: (gameId: number): Promise<OverrideRow[]> =>
      db
        .select({
          divisionId: divisionChallenges.divisionId,
          challengeId: divisionChallenges.challengeId,
          permissions: divisionChallenges.permissions,
        })
        .from(divisionChallenges)
        .innerJoin(divisions, eq(divisions.id, divisionChallenges.divisionId))
        .where(eq(divisions.gameId, gameId))
        .orderBy(asc(divisionChallenges.challengeId)),
    async replaceOverrides(divisionId: number, overrides: readonly DivisionOverride[]): Promise<void> {
      await db.delete(divisionChallenges).where(eq(divisionChallenges.divisionId, divisionId))
      if (overrides.length > 0)
        await db
          .insert(divisionChallenges)
          .values(overrides.map(({ challengeId, permissions }) => ({ divisionId, challengeId, permissions })))
    },
    async countChallenges(gameId: number, ids: readonly number[]): Promise<number> {
      if (ids.length === 0) return 0
      return db.$count(challenges, and(eq(challenges.gameId, gameId), inArray(challenges.id, [...ids])))
    },
    /** Lists the teams with which a user takes part in a game, and the division name of each team. */
    listTeamsOf: (gameId: number, userId: string): Promise<{ id: number; division: string | null }[]> =>
      db
        .select({ id: participations.teamId, division: participations.division })
        .from(participations)
        .innerJoin(teamMembers, eq(teamMembers.teamId, participations.teamId))
        .where(and(eq(participations.gameId, gameId), eq(teamMembers.userId, userId)))
        .orderBy(asc(participations.teamId)),
  }
}
