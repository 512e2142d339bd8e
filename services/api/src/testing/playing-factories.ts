import type { Verdict } from '@capstan/contract/vocabulary'
import type { Database } from '@capstan/db/client'
import type { games } from '@capstan/db/schema/games'
import type { TestApp } from './app.ts'
import { aTeam, signInAsNewUser } from './factories.ts'
import { aGame, anAssignment, aParticipation } from './organizing-factories.ts'

/** Creates a signed-in captain whose team plays a game and has assignments of the given challenges. */
export async function aPlayer(
  context: Pick<TestApp, 'app' | 'db'>,
  values: {
    gameId?: number
    challengeIds?: number[]
    status?: Verdict
    division?: string
  } = {},
) {
  const { challengeIds = [], ...columns } = values
  const { user, client } = await signInAsNewUser(context)
  const team = await aTeam(context.db, { captainId: user.id })
  const participation = await aParticipation(context.db, { ...columns, teamId: team.id })
  for (const challengeId of challengeIds) await anAssignment(context.db, { participationId: participation.id, challengeId })
  return { user, client, team, participation }
}

/** Creates a second signed-in member of a player's team in the game. */
export async function aTeamMate(context: Pick<TestApp, 'app' | 'db' | 'sql'>, player: Awaited<ReturnType<typeof aPlayer>>) {
  const { user, client } = await signInAsNewUser(context)
  const { id, gameId } = player.participation
  await context.sql`insert into team_members (team_id, user_id) values (${player.team.id}, ${user.id})`
  await context.sql`insert into participation_members (participation_id, game_id, user_id) values (${id}, ${gameId}, ${user.id})`
  return { user, client }
}

export function aPastGame(db: Database, values: Partial<typeof games.$inferInsert> = {}) {
  return aGame(db, { phase: 'ended', ...values })
}
