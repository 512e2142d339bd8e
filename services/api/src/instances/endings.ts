import type { Executor } from '@capstan/db/client'
import { instances } from '@capstan/db/schema/instances'
import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import type { AppDeps } from '../app-types.ts'

/** Which live instances end; `teamsOnly` leaves the test instance of the challenge running. */
export type EndingScope =
  | { readonly gameId: number }
  | { readonly challengeId: number; readonly teamsOnly?: boolean }
  | { readonly participationId: number }

const conditionOf = (scope: EndingScope) => {
  if ('gameId' in scope) return eq(instances.gameId, scope.gameId)
  if ('participationId' in scope) return eq(instances.participationId, scope.participationId)
  const ofTeams = scope.teamsOnly ? isNotNull(instances.participationId) : undefined
  return and(eq(instances.challengeId, scope.challengeId), ofTeams)
}

/**
 * Ends instances because of a change elsewhere: a game or challenge that goes or is switched off, a team that leaves the game.
 * First the rows in that change's transaction, then, after its commit, the objects.
 */
export const createInstanceEndings = ({
  runtime,
  bus,
  clock,
  platformLog,
}: Pick<AppDeps, 'runtime' | 'bus' | 'clock' | 'platformLog'>) => ({
  /** Closes the rows of live instances. @returns their ids, for `announce` */
  async end(transaction: Executor, scope: EndingScope): Promise<string[]> {
    const ended = await transaction
      .update(instances)
      .set({ status: 'Destroyed', endedAt: clock.now() })
      .where(and(conditionOf(scope), isNull(instances.endedAt)))
      .returning({ id: instances.id })
    return ended.map(({ id }) => id)
  },
  /** After the commit: deletes the objects and tells the gateways. What fails here is found again by the repair loop. */
  async announce(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      try {
        await runtime.delete(id)
      } catch {
        platformLog.write({ level: 'Warning', name: 'System', message: `Container ${id} is removed later`, status: 'Pending' })
      }
      await bus.publish({ kind: 'instance-ended', instanceId: id })
    }
  },
})

export type InstanceEndings = ReturnType<typeof createInstanceEndings>
