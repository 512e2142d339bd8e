import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges, solves } from '@capstan/db/schema/challenges'
import { games, participations } from '@capstan/db/schema/games'
import { notices } from '@capstan/db/schema/news'
import { teams } from '@capstan/db/schema/teams'
import { tickets } from '@capstan/db/schema/tickets'
import { webhookDeliveries, webhooks } from '@capstan/db/schema/webhooks'
import { and, asc, count, desc, eq, exists, inArray, lt, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { solveKinds } from './policy.ts'

export type WebhookRow = typeof webhooks.$inferSelect
export type DeliveryRow = typeof webhookDeliveries.$inferSelect
export type WebhookSettings = Pick<
  typeof webhooks.$inferInsert,
  'name' | 'service' | 'gameId' | 'kinds' | 'isForOrganizers' | 'language' | 'template' | 'isEnabled'
> &
  Partial<Pick<typeof webhooks.$inferInsert, 'address' | 'host' | 'authorization'>>

type Page = Readonly<{
  count: number
  skip: number
}>

/** Age at which the start, end or freeze of a game is too old to announce, for example after an outage of the platform. */
const maxPhaseAge = sql.raw(`interval '1 hour'`)

/**
 * SQL condition for pending events that may be sent now. The event has occurred, and no freeze hides it. If the event is a
 * notice, its game has started. A query with this condition must join `games`.
 */
function isReady(now: Date): SQL | undefined {
  const time = sql`${now.toISOString()}::timestamptz`
  const isHidden = sql`${inArray(webhookDeliveries.kind, [...solveKinds])} and ${games.freezeAt} is not null
    and ${games.freezeAt} <= ${time} and (${games.revealedAt} is null or ${games.revealedAt} > ${time})
    and ${webhookDeliveries.occurredAt} >= ${games.freezeAt}`
  return and(
    eq(webhookDeliveries.state, 'Pending'),
    lte(webhookDeliveries.occurredAt, now),
    sql`not coalesce(${isHidden}, false)`,
    or(ne(webhookDeliveries.kind, 'Notice'), lte(games.startsAt, now)),
  )
}

function isEvent(webhookId: string, id: number): SQL | undefined {
  return and(eq(webhookDeliveries.webhookId, webhookId), eq(webhookDeliveries.id, id))
}

export function createWebhookRepository(db: Executor) {
  const selectNamed = (now: Date) =>
    db
      .select({
        webhook: webhooks,
        gameTitle: sql<string | null>`(select title from games as named where named.id = ${webhooks.gameId})`,
        pending: db.$count(
          db
            .select({ id: webhookDeliveries.id })
            .from(webhookDeliveries)
            .innerJoin(games, eq(games.id, webhookDeliveries.gameId))
            .where(and(eq(webhookDeliveries.webhookId, webhooks.id), isReady(now)))
            .as('waiting'),
        ),
      })
      .from(webhooks)
  return {
    list: (now: Date) => selectNamed(now).orderBy(asc(webhooks.createdAt), asc(webhooks.id)),
    async findNamed(id: string, now: Date) {
      const [row] = await selectNamed(now).where(eq(webhooks.id, id))
      return row
    },
    async find(id: string): Promise<WebhookRow | undefined> {
      const [row] = await db.select().from(webhooks).where(eq(webhooks.id, id))
      return row
    },
    async count(): Promise<number> {
      const [row] = await db.select({ count: count() }).from(webhooks)
      return row?.count ?? 0
    },
    async insert(row: typeof webhooks.$inferInsert): Promise<void> {
      await db.insert(webhooks).values(row)
    },
    async update(id: string, change: Partial<typeof webhooks.$inferInsert>): Promise<boolean> {
      return (await db.update(webhooks).set(change).where(eq(webhooks.id, id)).returning({ id: webhooks.id })).length > 0
    },
    async delete(id: string): Promise<string | undefined> {
      const [row] = await db.delete(webhooks).where(eq(webhooks.id, id)).returning({ name: webhooks.name })
      return row?.name
    },
    async findGame(id: number): Promise<string | undefined> {
      const [row] = await db.select({ title: games.title }).from(games).where(eq(games.id, id))
      return row?.title
    },
    async findCreatorEmail({ creatorId }: WebhookRow): Promise<string | null> {
      if (creatorId === null) return null
      const [row] = await db.select({ email: users.email }).from(users).where(eq(users.id, creatorId))
      return row?.email ?? null
    },
  }
}

export type NamedWebhook = NonNullable<Awaited<ReturnType<ReturnType<typeof createWebhookRepository>['findNamed']>>>

export function createDeliveryRepository(db: Executor) {
  const select = () =>
    db
      .select({
        delivery: webhookDeliveries,
        game: { title: games.title, hidden: games.hidden, freezeAt: games.freezeAt, revealedAt: games.revealedAt },
        challenge: {
          title: challenges.title,
          category: challenges.category,
          isShown: challenges.isShown,
          isHiddenWhileLocked: sql<boolean>`coalesce(${challenges.unlockRule} ->> 'locked' = 'Hidden', false)`,
        },
        teamName: teams.name,
        status: participations.status,
        noticeText: sql<string | null>`case when ${notices.type} = 'Normal' then ${notices.values}[1] end`,
        isCurrent: sql<boolean>`(${webhookDeliveries.noticeId} is null or ${notices.id} is not null)
          and (${webhookDeliveries.solveId} is null or ${solves.id} is not null)
          and (${webhookDeliveries.ticketId} is null or ${tickets.id} is not null)`,
        ticketSubject: tickets.subject,
      })
      .from(webhookDeliveries)
      .innerJoin(games, eq(games.id, webhookDeliveries.gameId))
      .leftJoin(challenges, eq(challenges.id, webhookDeliveries.challengeId))
      .leftJoin(teams, eq(teams.id, webhookDeliveries.teamId))
      .leftJoin(
        participations,
        and(eq(participations.gameId, webhookDeliveries.gameId), eq(participations.teamId, webhookDeliveries.teamId)),
      )
      .leftJoin(notices, eq(notices.id, webhookDeliveries.noticeId))
      .leftJoin(solves, eq(solves.id, webhookDeliveries.solveId))
      .leftJoin(tickets, eq(tickets.id, webhookDeliveries.ticketId))
  return {
    /** Adds an event for each recent game start, board freeze and game end. Concurrent calls add each event only once. */
    async addPhases(now: Date): Promise<void> {
      const time = sql`${now.toISOString()}::timestamptz`
      await db.execute(sql`
        insert into webhook_deliveries (webhook_id, kind, game_id, occurred_at)
        select webhooks.id, phase.kind, games.id, phase.at
        from webhooks
        join games on (webhooks.game_id is null or webhooks.game_id = games.id) and not games.hidden
        cross join lateral (values
          ('GameStarted', games.starts_at), ('BoardFrozen', games.freeze_at), ('GameEnded', games.ends_at)
        ) as phase (kind, at)
        where webhooks.is_enabled and phase.kind = any (webhooks.kinds) and phase.at <= ${time}
          and phase.at > ${time} - ${maxPhaseAge} and phase.at >= webhooks.created_at
        order by phase.at
        on conflict do nothing`)
    },
    /** Lists the webhooks that have an event to send now. */
    async listDue(now: Date): Promise<string[]> {
      const rows = await db
        .select({ id: webhooks.id })
        .from(webhooks)
        .where(
          and(
            webhooks.isEnabled,
            lte(webhooks.nextAttemptAt, now),
            exists(
              db
                .select({ id: webhookDeliveries.id })
                .from(webhookDeliveries)
                .innerJoin(games, eq(games.id, webhookDeliveries.gameId))
                .where(and(eq(webhookDeliveries.webhookId, webhooks.id), isReady(now))),
            ),
          ),
        )
      return rows.map(({ id }) => id)
    },
    /**
     * Tries to reserve a webhook until the end of the transaction, so that its events are sent in order. Uses an advisory lock,
     * because a row lock would block edits of the webhook and inserts of new events.
     */
    async tryLock(webhookId: string): Promise<boolean> {
      const [row] = await db.execute<{ locked: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${`webhook ${webhookId}`}, 0)) as locked`,
      )
      return row?.locked ?? false
    },
    /** Returns the oldest event that may be sent at the time `now`. The caller must have called `addPhases` with the same time. */
    async findNext(webhookId: string, now: Date) {
      const [row] = await select()
        .where(and(eq(webhookDeliveries.webhookId, webhookId), isReady(now)))
        .orderBy(asc(webhookDeliveries.occurredAt), asc(webhookDeliveries.id))
        .limit(1)
      return row
    },
    async update(id: number, change: Partial<typeof webhookDeliveries.$inferInsert>): Promise<void> {
      await db.update(webhookDeliveries).set(change).where(eq(webhookDeliveries.id, id))
    },
    listPage: (webhookId: string, page: Page) =>
      select()
        .where(eq(webhookDeliveries.webhookId, webhookId))
        .orderBy(desc(webhookDeliveries.id))
        .limit(page.count)
        .offset(page.skip),
    async exists(webhookId: string, id: number): Promise<boolean> {
      return (await db.$count(webhookDeliveries, isEvent(webhookId, id))) > 0
    },
    /** Makes a finished event pending again. @returns false if there is no such finished event */
    async resend(webhookId: string, id: number): Promise<boolean> {
      const rows = await db
        .update(webhookDeliveries)
        .set({ state: 'Pending', body: null })
        .where(and(isEvent(webhookId, id), ne(webhookDeliveries.state, 'Pending')))
        .returning({ id: webhookDeliveries.id })
      return rows.length > 0
    },
    async deleteSentBefore(time: Date): Promise<void> {
      await db
        .delete(webhookDeliveries)
        .where(and(ne(webhookDeliveries.state, 'Pending'), lt(webhookDeliveries.occurredAt, time)))
    },
  }
}

export type DeliveryDetails = NonNullable<Awaited<ReturnType<ReturnType<typeof createDeliveryRepository>['findNext']>>>
