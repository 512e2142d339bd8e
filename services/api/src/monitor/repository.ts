import { Limits } from '@capstan/contract/limits'
import type { AnswerResult } from '@capstan/contract/submissions'
import type { Executor } from '@capstan/db/client'
import { users } from '@capstan/db/schema/accounts'
import { challenges, cheats, submissions } from '@capstan/db/schema/challenges'
import { participations } from '@capstan/db/schema/games'
import { events } from '@capstan/db/schema/news'
import { teams } from '@capstan/db/schema/teams'
import { and, desc, eq, isNotNull, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'

interface Page {
  readonly count: number
  readonly skip: number
}

const submissionColumns = {
  id: submissions.id,
  answer: submissions.answer,
  status: submissions.status,
  submittedAt: submissions.submittedAt,
  userName: users.userName,
  email: users.email,
  teamName: teams.name,
  challengeTitle: challenges.title,
}

/** A submission with the names of today; people who are gone have none. */
export interface SubmissionRow {
  readonly id: number
  readonly answer: string
  readonly status: AnswerResult
  readonly submittedAt: Date
  readonly userName: string | null
  readonly email: string | null
  readonly teamName: string
  readonly challengeTitle: string
}

const submitter = alias(participations, 'submitter')
const submitterTeam = alias(teams, 'submitter_team')
const owner = alias(participations, 'owner')
const ownerTeam = alias(teams, 'owner_team')

/** Position of the challenge id among the values of an event. */
const challengeIdPlaces = { FlagSubmit: 4, ContainerStart: 1, ContainerDestroy: 1 } as const

/** Challenge that an event is about. Its `submissions` are joined. */
export const eventChallengeId = sql`case ${events.type}
  when 'CheatDetected' then ${submissions.challengeId}
  ${sql.join(
    Object.entries(challengeIdPlaces).map(
      ([type, place]) =>
        sql`when ${type} then substring(${events.values}[${sql.raw(String(place))}] from '^[0-9]{1,9}$')::integer`,
    ),
    sql` `,
  )} end`

export const monitorRepository = (db: Executor) => ({
  /** Newest first. */
  listEvents: (gameId: number, { hideContainer, count, skip }: Page & { hideContainer: boolean }) =>
    db
      .select({
        type: events.type,
        values: events.values,
        occurredAt: events.occurredAt,
        userName: users.userName,
        teamName: teams.name,
        challengeTitle: challenges.title,
        ownerName: ownerTeam.name,
      })
      .from(events)
      .leftJoin(users, eq(users.id, events.userId))
      .leftJoin(teams, eq(teams.id, events.teamId))
      .leftJoin(submissions, eq(submissions.id, events.submissionId))
      .leftJoin(challenges, and(eq(challenges.id, eventChallengeId), eq(challenges.gameId, events.gameId)))
      .leftJoin(cheats, eq(cheats.submissionId, events.submissionId))
      .leftJoin(owner, eq(owner.id, cheats.ownerId))
      .leftJoin(ownerTeam, eq(ownerTeam.id, owner.teamId))
      .where(
        and(
          eq(events.gameId, gameId),
          // A cheat is deleted with the team that owns the flag.
          or(isNull(events.submissionId), isNotNull(cheats.id)),
          hideContainer ? notInArray(events.type, ['ContainerStart', 'ContainerDestroy']) : undefined,
        ),
      )
      .orderBy(desc(events.id))
      .limit(count)
      .offset(skip),
  /** Newest first. @param filter.before only those with a lower id */
  listSubmissions: (
    gameId: number,
    { type, before, page }: { type: AnswerResult | undefined; before?: number; page: Page },
  ): Promise<SubmissionRow[]> =>
    db
      .select(submissionColumns)
      .from(submissions)
      .innerJoin(teams, eq(teams.id, submissions.teamId))
      .innerJoin(challenges, eq(challenges.id, submissions.challengeId))
      .leftJoin(users, eq(users.id, submissions.userId))
      .where(
        and(
          eq(submissions.gameId, gameId),
          type === undefined ? undefined : eq(submissions.status, type),
          before === undefined ? undefined : lt(submissions.id, before),
        ),
      )
      .orderBy(desc(submissions.id))
      .limit(page.count)
      .offset(page.skip),
  /** Newest first; of each submitter so many, that one who hands the same in again and again neither hides others nor costs more. */
  listCheats: (gameId: number) =>
    db
      .select({
        submission: submissionColumns,
        submitter,
        submitterTeam,
        owner,
        ownerTeam,
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
      .where(
        sql`${cheats.id} in (
          select id from (
            select id, row_number() over (partition by submitter_id order by id desc) as place
            from cheats where game_id = ${gameId}) as placed
          where place <= ${Limits.cheatsPerTeam})`,
      )
      .orderBy(desc(cheats.id)),
})

export type EventRow = Awaited<ReturnType<ReturnType<typeof monitorRepository>['listEvents']>>[number]
export type CheatRow = Awaited<ReturnType<ReturnType<typeof monitorRepository>['listCheats']>>[number]
