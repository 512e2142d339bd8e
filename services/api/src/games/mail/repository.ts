import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { divisions, participationMembers, participations } from '@capstan/db/schema/games'
import { and, asc, eq, ne } from 'drizzle-orm'

type Audience = Readonly<{
  onlyAccepted: boolean
  /** Name of the division whose teams get the mail. If absent, all teams get the mail, with or without a division. */
  division?: string | undefined
}>

export function createGameMailRepository(db: Executor) {
  const reachable = (gameId: number, { onlyAccepted, division }: Audience) =>
    db
      .select({ id: users.id, email: users.email })
      .from(participationMembers)
      .innerJoin(participations, eq(participations.id, participationMembers.participationId))
      .innerJoin(users, eq(users.id, participationMembers.userId))
      .where(
        and(
          eq(participationMembers.gameId, gameId),
          onlyAccepted ? eq(participations.status, 'Accepted') : undefined,
          division === undefined ? undefined : eq(participations.division, division),
          ne(users.role, 'Banned'),
          ne(users.email, ''),
          users.emailConfirmed,
          users.hasGameMail,
        ),
      )
  return {
    async findDivision(gameId: number, id: number): Promise<string | undefined> {
      const [row] = await db
        .select({ name: divisions.name })
        .from(divisions)
        .where(and(eq(divisions.gameId, gameId), eq(divisions.id, id)))
      return row?.name
    },
    /**
     * Lists users with a confirmed address who accept mails of games. Each user occurs only once, because a user can join a game
     * only once.
     */
    list: (gameId: number, audience: Audience) => reachable(gameId, audience).orderBy(asc(users.id)),
    count: (gameId: number, audience: Audience): Promise<number> => db.$count(reachable(gameId, audience).as('reachable')),
    async hasGameMail(userId: string): Promise<boolean> {
      const [row] = await db.select({ hasGameMail: users.hasGameMail }).from(users).where(eq(users.id, userId))
      return row?.hasGameMail ?? false
    },
    async setGameMail(userId: string, hasGameMail: boolean): Promise<void> {
      await db.update(users).set({ hasGameMail }).where(eq(users.id, userId))
    },
  }
}
