import { operations } from '@capstan/contract/operations'
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { ApiActor } from '../support/actors.ts'
import { createPlayerInGame, findChallenge, findFlag, listDemoSlugs, type Player } from '../support/player.ts'
import { poll } from '../support/poll.ts'

const world = inject('world')

describe.skipIf(!world)('the demo game, played by API calls (needs Chromium, which is required to start the platform)', () => {
  const baseUrl = world?.baseUrl ?? ''
  const gameId = inject('demoGameId')
  let player: Player
  beforeAll(async () => {
    player = await createPlayerInGame(baseUrl, gameId)
  })

  const runningEntry = async ({ actor }: Player, cid: number): Promise<string> => {
    const { context } = await actor.call(operations.getChallenge, { params: { id: gameId, cid } })
    return context.instanceEntry ?? ''
  }

  test.each(listDemoSlugs())('lets the solver of %s find the flag', async (slug) => {
    const { id } = await findChallenge(player, slug)
    expect(await player.actor.submitFlag(gameId, id, await findFlag(player, slug))).toBe('Accepted')
  })

  test('the scoreboard counts every solve', async () => {
    const team = await poll('the scoreboard to be rebuilt', async () => {
      const board = await player.actor.call(operations.getScoreboard, { params: { id: gameId } })
      const item = board.items.find(({ id }) => id === player.teamId)
      return item?.solvedCount === listDemoSlugs().length && item
    })
    expect(team.rank).toBeGreaterThan(0)
    expect(team.score).toBe(team.solvedChallenges.reduce((sum, { score }) => sum + score, 0))
  })

  test('teams get different flags, and only monitors see that a team submitted the flag of another team', async () => {
    const slug = 'harbour-seal'
    const other = await createPlayerInGame(baseUrl, gameId)
    const { id } = await findChallenge(other, slug)
    const flag = await findFlag(player, slug, await runningEntry(player, id))
    expect(await other.actor.submitFlag(gameId, id, flag)).toBe('WrongAnswer')
    const admin = new ApiActor(baseUrl)
    await admin.logIn(world?.adminName ?? '', world?.adminPassword ?? '')
    const cheats = await admin.call(operations.listCheats, { params: { id: gameId } })
    expect(cheats[0]).toMatchObject({ ownedTeam: { team: { id: player.teamId } }, submitTeam: { team: { id: other.teamId } } })
  })

  test('a listening client is notified of a blood', async () => {
    const admin = new ApiActor(baseUrl)
    await admin.logIn(world?.adminName ?? '', world?.adminPassword ?? '')
    const params = { id: gameId }
    const challenge = await admin.call(operations.createChallenge, {
      params,
      body: { title: `Fresh ${Date.now()}`, category: 'Misc', type: 'StaticAttachment' },
    })
    const at = { id: gameId, cid: challenge.id }
    await admin.call(operations.addFlags, { params: at, body: [{ flag: 'flag{fresh}' }] })
    const connection = new HubConnectionBuilder()
      .withUrl(`${baseUrl}/hub/user?game=${gameId}`)
      .configureLogging(LogLevel.None)
      .build()
    const received: { type: string; values: string[] }[] = []
    // Ignore notices about other challenges, because other tests play the same game at the same time.
    connection.on('ReceivedGameNotice', (notice) => notice.values.includes(challenge.title) && received.push(notice))
    await connection.start()
    await admin.call(operations.updateChallenge, { params: at, body: { isEnabled: true } })
    expect(await player.actor.submitFlag(gameId, challenge.id, 'flag{fresh}')).toBe('Accepted')
    await poll('the notices to arrive', () => received.length >= 2)
    expect(received.map(({ type, values }) => [type, ...values])).toEqual([
      ['NewChallenge', challenge.title],
      ['FirstBlood', player.teamName, challenge.title],
    ])
    await connection.stop()
    await admin.call(operations.deleteChallenge, { params: at })
  })
})
