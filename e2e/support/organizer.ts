import { randomBytes } from 'node:crypto'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { AdminGameWrite, ParticipationStatus } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { AccountPolicy } from '@capstan/contract/settings'
import { ApiActor } from './actors.ts'
import { poll } from './poll.ts'
import type { World } from './world.ts'

const hourMs = 3_600_000

export function timeHoursFromNow(hours: number): string {
  return new Date(Date.now() + hours * hourMs).toISOString()
}

export function randomSuffix(): string {
  return randomBytes(3).toString('hex')
}

/** Static challenge with one flag and no file. */
export type Task = Readonly<{
  title: string
  category?: ChallengeCategory
  flag: string
}>

/** Organizer that uses the public API to prepare games for tests. */
export class Organizer {
  readonly actor: ApiActor

  private constructor(actor: ApiActor) {
    this.actor = actor
  }

  static async logIn({ baseUrl, adminName, adminPassword }: World): Promise<Organizer> {
    const actor = new ApiActor(baseUrl)
    await actor.logIn(adminName, adminPassword)
    return new Organizer(actor)
  }

  /**
   * Creates a running game with these challenges, which all players can see.
   * @returns the id, title and settings of the game, and a map from the titles of its challenges to their ids
   */
  async openGame(settings: Partial<AdminGameWrite> = {}, tasks: readonly Task[] = []) {
    const title = settings.title ?? `Regatta ${randomSuffix()}`
    const body: AdminGameWrite = {
      title,
      acceptWithoutReview: true,
      start: timeHoursFromNow(-1),
      end: timeHoursFromNow(24),
      writeupDeadline: timeHoursFromNow(48),
      ...settings,
    }
    const { id } = await this.actor.call(operations.createGame, { body })
    const challenges = new Map<string, number>()
    for (const task of tasks) challenges.set(task.title, await this.addTask(id, task))
    return { id, title, challenges, settings: body }
  }

  /**
   * Creates a game that has ended. The team of this player has solved the only challenge.
   * @returns the id of the game
   */
  async openPastGame(player: Pick<Crew, 'actor' | 'teamId'>): Promise<number> {
    const { id, challenges, settings } = await this.openGame({}, [{ title: 'Buoy', flag: 'flag{afloat}' }])
    await player.actor.join(id, player.teamId)
    await player.actor.submitFlag(id, challenges.get('Buoy') ?? 0, 'flag{afloat}')
    await this.changeGame(id, { ...settings, end: new Date().toISOString() })
    return id
  }

  async addTask(gameId: number, { title, category = 'Misc', flag }: Task): Promise<number> {
    const { id: cid } = await this.actor.call(operations.createChallenge, {
      params: { id: gameId },
      body: { title, category, type: 'StaticAttachment' },
    })
    const params = { id: gameId, cid }
    await this.actor.call(operations.addFlags, { params, body: [{ flag }] })
    await this.actor.call(operations.updateChallenge, { params, body: { isEnabled: true } })
    return cid
  }

  async changeGame(gameId: number, settings: AdminGameWrite): Promise<void> {
    await this.actor.call(operations.updateGame, { params: { id: gameId }, body: settings })
  }

  async addNotice(gameId: number, content: string): Promise<void> {
    await this.actor.call(operations.addNotice, { params: { id: gameId }, body: { content } })
  }

  async setStatus(gameId: number, teamId: number, status: ParticipationStatus): Promise<void> {
    const participation = await poll('the participation', async () => {
      const all = await this.actor.call(operations.listParticipations, { params: { id: gameId } })
      return all.find(({ team }) => team.id === teamId)
    })
    await this.actor.call(operations.setParticipationStatus, { params: { id: participation.id, status } })
  }

  async setAccountPolicy(accountPolicy: AccountPolicy): Promise<void> {
    await this.actor.call(operations.updateSettings, { body: { accountPolicy } })
  }
}

/** Registered account with a team that has joined no game. */
export type Crew = Readonly<{
  actor: ApiActor
  userName: string
  password: string
  teamId: number
  teamName: string
}>

/** Registers a new player, by default with a team. */
export async function aPlayer(baseUrl: string): Promise<Omit<Crew, 'teamId' | 'teamName'>> {
  const actor = new ApiActor(baseUrl)
  const mark = randomSuffix()
  const [userName, password] = [`deck-${mark}`, `Anchor-${mark}-9`]
  await actor.register({ userName, password, email: `${userName}@example.org` })
  return { actor, userName, password }
}

export async function aCrew(baseUrl: string, teamName = `Crew ${randomSuffix()}`): Promise<Crew> {
  const player = await aPlayer(baseUrl)
  const team = await player.actor.createTeam(teamName)
  return { ...player, teamId: team.id, teamName }
}
