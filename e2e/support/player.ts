import { randomBytes } from 'node:crypto'
import { operations } from '@capstan/contract/operations'
import type { BoardChallenge } from '@capstan/contract/scoreboard'
import { getManifest, hasContainer, hasSeveralContainers, listManifests, readDescription } from '../challenges/manifest.ts'
import { createSolveContext, loadSolver } from '../challenges/solve-context.ts'
import { ApiActor } from './actors.ts'
import { poll } from './poll.ts'
import { connectToInstance } from './tcp-over-websocket.ts'

export type Player = Readonly<{
  actor: ApiActor
  userName: string
  password: string
  teamId: number
  teamName: string
  gameId: number
}>

/** Registers an account, creates a team and joins `gameId` in its first division. */
export async function createPlayerInGame(baseUrl: string, gameId: number): Promise<Player> {
  const actor = new ApiActor(baseUrl)
  const suffix = randomBytes(4).toString('hex')
  const [userName, teamName, password] = [`sailor-${suffix}`, `Crew ${suffix}`, `Anchor-${suffix}-9`]
  await actor.register({ userName, password, email: `${userName}@example.org` })
  const team = await actor.createTeam(teamName)
  const game = await actor.call(operations.getGame, { params: { id: gameId } })
  await actor.join(gameId, team.id, game.organizations?.[0])
  return { actor, userName, password, teamId: team.id, teamName, gameId }
}

export async function findChallenge({ actor, gameId }: Player, slug: string): Promise<BoardChallenge> {
  const board = await actor.call(operations.getPlayerBoard, { params: { id: gameId } })
  const { title } = getManifest(slug)
  const found = Object.values(board.challenges)
    .flat()
    .find((challenge) => challenge.title === title)
  if (!found) throw new Error(`The board has no challenge '${title}'`)
  return found
}

export async function startInstance({ actor, gameId }: Player, challengeId: number): Promise<string> {
  const params = { id: gameId, cid: challengeId }
  const started = await actor.call(operations.startContainer, { params })
  if (started.status === 'Running') return started.entry
  return poll('the instance to run', async () => (await actor.call(operations.getChallenge, { params })).context.instanceEntry)
}

/** Stops an instance as soon as the platform allows it. */
export function stopInstance({ actor, gameId }: Player, challengeId: number): Promise<true> {
  return poll(
    'the pause between start and stop to be over',
    async () => {
      await actor.call(operations.stopContainer, { params: { id: gameId, cid: challengeId } })
      return true as const
    },
    { everyMs: 500 },
  )
}

/**
 * Solves a demo challenge by reading its file or attacking its instance.
 * @returns the flag that was found
 */
export async function findFlag(player: Player, slug: string, entry?: string): Promise<string> {
  const { actor, gameId } = player
  const challenge = await findChallenge(player, slug)
  const manifest = getManifest(slug)
  const params = { id: gameId, cid: challenge.id }
  const solve = await loadSolver(slug)
  // Start the instance only once, at the first connection, because some solvers connect several times.
  let running: Promise<string> | undefined
  const entryOf = () => {
    running ??= entry ? Promise.resolve(entry) : startInstance(player, challenge.id)
    return running
  }
  return solve(
    createSolveContext({
      description: readDescription(manifest),
      attachment: async () => {
        const { url } = (await actor.call(operations.getChallenge, { params })).context
        if (!url) throw new Error(`'${manifest.title}' has no file`)
        return new Uint8Array(await (await actor.get(url)).arrayBuffer())
      },
      ...((hasContainer(manifest) || hasSeveralContainers(manifest)) && {
        connect: async () => connectToInstance({ entry: await entryOf(), baseUrl: actor.baseUrl }),
      }),
    }),
  )
}

/** Returns the slugs of the demo challenges that need neither a container engine nor a cluster. */
export function listDemoSlugs(): string[] {
  return listManifests().flatMap((manifest) => (hasSeveralContainers(manifest) ? [] : [manifest.slug]))
}
