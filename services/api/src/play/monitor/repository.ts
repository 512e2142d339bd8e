import { Limits } from '@capstan/contract/limits'
import type { AnswerResult } from '@capstan/contract/submissions'
import type { Executor } from '@capstan/db/client'
import { cheats, submissions } from '@capstan/db/schema/challenges'
import { events } from '@capstan/db/schema/news'
import { and, eq, inArray, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { createMonitorListRepository, type Page } from './shown-repository.ts'

/** Condition for visible events. An event about a cheat is hidden if the team to which the flag belongs was deleted. */
export function isEventVisible(db: Executor) {
  return or(isNull(events.submissionId), inArray(events.submissionId, db.select({ id: cheats.submissionId }).from(cheats)))
}

export function createMonitorRepository(db: Executor) {
  const shown = createMonitorListRepository(db)
  return {
    listEvents: (gameId: number, { hideContainer, ...page }: Page & { hideContainer: boolean }) =>
      shown.listEvents({
        ...page,
        condition: and(
          eq(events.gameId, gameId),
          isEventVisible(db),
          hideContainer ? notInArray(events.type, ['ContainerStart', 'ContainerDestroy']) : undefined,
        ),
      }),
    /** Lists submissions, newest first. @param filter.before selects only submissions with a lower id */
    listSubmissions: (gameId: number, { type, before, page }: { type: AnswerResult | undefined; before?: number; page: Page }) =>
      shown.listSubmissions({
        ...page,
        condition: and(
          eq(submissions.gameId, gameId),
          type === undefined ? undefined : eq(submissions.status, type),
          before === undefined ? undefined : lt(submissions.id, before),
        ),
      }),
    /**
     * Lists cheats, newest first. The number of cheats per submitter is limited, so that one team does not displace all other
     * teams.
     */
    listCheats: (gameId: number) =>
      shown.listCheats(
        sql`${cheats.id} in (
          select id from (
            select id, row_number() over (partition by submitter_id order by id desc) as place
            from cheats where game_id = ${gameId}) as placed
          where place <= ${Limits.cheatsPerTeam})`,
      ),
  }
}
