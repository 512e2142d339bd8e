import type { AnswerResult } from '@capstan/contract/submissions'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges, cheats, submissions } from '@capstan/db/schema/challenges'
import { divisions, participations } from '@capstan/db/schema/games'
import { events } from '@capstan/db/schema/news'
import { teams } from '@capstan/db/schema/teams'
import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'

export type Page = Readonly<{
  count: number
  skip: number
}>

type PageQuery = Page &
  Readonly<{
    condition: SQL | undefined
    /** Sort order. Default: newest first. */
    order?: SQL | undefined
  }>

export const submitter = alias(participations, 'submitter')
export const submitterTeam = alias(teams, 'submitter_team')
export const owner = alias(participations, 'owner')
export const ownerTeam = alias(teams, 'owner_team')

/** Returns SQL for the id of a participation's division. The id is null if the participation has no division. */
function divisionIdOf({ gameId, division }: typeof submitter | typeof owner) {
  return sql<
    number | null
  >`(select ${divisions.id} from ${divisions} where ${divisions.gameId} = ${gameId} and ${divisions.name} = ${division})`
}

const submissionColumns = {
  id: submissions.id,
  answer: submissions.answer,
  status: submissions.status,
  submittedAt: submissions.submittedAt,
  userId: submissions.userId,
  userName: users.userName,
  email: users.email,
  teamId: submissions.teamId,
  teamName: teams.name,
  challengeId: submissions.challengeId,
  challengeTitle: challenges.title,
}

export type SubmissionRow = Readonly<{
  id: number
  answer: string
  status: AnswerResult
  submittedAt: Date
  userId: string | null
  userName: string | null
  email: string | null
  teamId: number
  teamName: string
  challengeId: number
  challengeTitle: string
}>

/** Position of the challenge id in the values of an event, for each type of event. */
const challengeIdPlaces = { FlagSubmit: 4, ContainerStart: 1, ContainerDestroy: 1, Normal: 2 } as const

/** SQL for the challenge id of an event. The query must join the event's `submissions`. */
const eventChallengeId = sql`case ${events.type}
  when 'CheatDetected' then ${submissions.challengeId}
  ${sql.join(
    Object.entries(challengeIdPlaces).map(
      ([type, place]) =>
        sql`when ${type} then substring(${events.values}[${sql.raw(String(place))}] from '^[0-9]{1,9}$')::integer`,
    ),
    sql` `,
  )} end`

/** Queries for events, submissions and cheats, with all data that the lists of monitors show. */
export function createMonitorListRepository(db: Executor) {
  const pageOf = (table: typeof events | typeof submissions, { condition, order, count, skip }: PageQuery) => {
    const { id } = table as typeof events
    return db
      .select({ id })
      .from(table as typeof events)
      .where(condition)
      .orderBy(order ?? desc(id))
      .limit(count)
      .offset(skip)
      .as('page')
  }

  return {
    listEvents(query: PageQuery) {
      const page = pageOf(events, query)
      return db
        .select({
          id: events.id,
          type: events.type,
          values: events.values,
          occurredAt: events.occurredAt,
          userId: events.userId,
          userName: users.userName,
          teamId: events.teamId,
          teamName: teams.name,
          challengeId: challenges.id,
          challengeTitle: challenges.title,
          ownerName: ownerTeam.name,
        })
        .from(page)
        .innerJoin(events, eq(events.id, page.id))
        .leftJoin(users, eq(users.id, events.userId))
        .leftJoin(teams, eq(teams.id, events.teamId))
        .leftJoin(submissions, eq(submissions.id, events.submissionId))
        .leftJoin(challenges, and(eq(challenges.id, eventChallengeId), eq(challenges.gameId, events.gameId)))
        .leftJoin(cheats, eq(cheats.submissionId, events.submissionId))
        .leftJoin(owner, eq(owner.id, cheats.ownerId))
        .leftJoin(ownerTeam, eq(ownerTeam.id, owner.teamId))
        .orderBy(desc(page.id))
    },

    async listSubmissions(query: PageQuery): Promise<SubmissionRow[]> {
      const page = pageOf(submissions, query)
      return db
        .select(submissionColumns)
        .from(page)
        .innerJoin(submissions, eq(submissions.id, page.id))
        .innerJoin(teams, eq(teams.id, submissions.teamId))
        .innerJoin(challenges, eq(challenges.id, submissions.challengeId))
        .leftJoin(users, eq(users.id, submissions.userId))
        .orderBy(desc(page.id))
    },

    listCheats: (condition: SQL) =>
      db
        .select({
          id: cheats.id,
          submission: submissionColumns,
          ...{ submitter, submitterTeam, owner, ownerTeam },
          submitterDivisionId: divisionIdOf(submitter),
          ownerDivisionId: divisionIdOf(owner),
        })
        .from(cheats)
        .innerJoin(submissions, eq(submissions.id, cheats.submissionId))
        .innerJoin(teams, eq(teams.id, submissions.teamId))
        .innerJoin(challenges, eq(challenges.id, submissions.challengeId))
        .leftJoin(users, eq(users.id, submissions.userId))
        .innerJoin(submitter, eq(submitter.id, cheats.submitterId))
        .innerJoin(submitterTeam, eq(submitterTeam.id, submitter.teamId))
        .innerJoin(owner, eq(owner.id, cheats.ownerId))
        .innerJoin(ownerTeam, eq(ownerTeam.id, owner.teamId))
        .where(condition)
        .orderBy(desc(cheats.id)),
  }
}

type Rows = ReturnType<typeof createMonitorListRepository>
export type EventRow = Awaited<ReturnType<Rows['listEvents']>>[number]
export type CheatRow = Awaited<ReturnType<Rows['listCheats']>>[number]
