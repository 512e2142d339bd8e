import type { Database } from '@capstan/db/client'
import { platformSettings } from '@capstan/db/schema/platform'
import { aSession, aTeam, aUser } from '../factories.ts'
import { aChallenge, aGame, anAssignment, aParticipation } from '../organizing-factories.ts'
import type { Player } from './crowd.ts'

const teams = 16
const membersPerTeam = 2
const containersPerTeam = 3

/** Returns a rule for a flag. Flags with consecutive indexes get different kinds of rules. */
function flagOf(flag: string, index: number) {
  return [
    { flags: [flag] },
    { rules: [{ kind: 'Caseless' as const, flag: flag.toUpperCase() }] },
    { rules: [{ kind: 'Pattern' as const, flag: `flag\\{r[a-z]+ ${index}\\}` }] },
  ][index % 3]
}

/** Creates a running game that allows three containers per team. A start beyond this limit ends the oldest container. */
async function createGame(db: Database) {
  await db.insert(platformSettings).values({ section: 'containerPolicy', value: { autoDestroyOnLimitReached: true } })
  const game = await aGame(db, { containerCountLimit: containersPerTeam })
  const numbers = Array.from({ length: 8 }, (_, index) => index)
  const solvable = await Promise.all(
    numbers.map(async (index) => {
      const flag = `flag{right ${index}}`
      return { ...(await aChallenge(db, { gameId: game.id, title: `solve ${index}`, ...flagOf(flag, index) })), flag }
    }),
  )
  const startable = await Promise.all(
    numbers.map((index) =>
      aChallenge(db, { gameId: game.id, title: `start ${index}`, type: 'DynamicContainer', containerImage: 'any:1' }),
    ),
  )
  return { game, solvable, startable: startable.map(({ id }) => id) }
}

async function createPlayers(
  db: Database,
  { game, solvable, startable }: Awaited<ReturnType<typeof createGame>>,
): Promise<Player[]> {
  const players: Player[] = []
  for (let team = 0; team < teams; team++) {
    const members = await Promise.all(Array.from({ length: membersPerTeam }, () => aUser(db)))
    const memberIds = members.map(({ id }) => id)
    const { id: teamId } = await aTeam(db, { captainId: memberIds[0]!, memberIds: memberIds.slice(1) })
    const { id: participationId } = await aParticipation(db, { gameId: game.id, teamId, memberIds })
    for (const { id: challengeId } of solvable) await anAssignment(db, { participationId, challengeId })
    for (const { id } of members) players.push({ cookie: await aSession(db, id), gameId: game.id, solvable, startable })
  }
  return players
}

export async function createCrashWorld(db: Database) {
  const world = await createGame(db)
  return { ...world, teams, containersPerTeam, players: await createPlayers(db, world) }
}

export type CrashWorld = Awaited<ReturnType<typeof createCrashWorld>>
