import { games } from '@capstan/db/schema/games'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aNotice, aParticipation } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let admin: TestClient
let visitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
  visitor = createTestClient(context.app)
})
afterAll(() => context.close())

function at(seconds: number) {
  return new Date(Date.UTC(2030, 0, 1, 0, 0, seconds))
}

describe('the list of notices of a game', () => {
  test('the list contains notices of organizers, followed by generated notices, both sorted newest first', async () => {
    const { id: challengeId, gameId } = await aChallenge(context.db, { title: 'c' })
    const { team } = await aParticipation(context.db, { gameId })
    await aNotice(context.db, { gameId, values: ['old'], publishedAt: at(1) })
    await aNotice(context.db, { gameId, type: 'FirstBlood', values: [], publishedAt: at(4), challengeId, teamId: team.id })
    await aNotice(context.db, { gameId, values: ['new'], publishedAt: at(3) })
    await aNotice(context.db, { gameId, type: 'NewHint', values: [], publishedAt: at(2), challengeId })
    const list = (await visitor.get(`/api/game/${gameId}/notices`)).json()
    expect(list.map(({ values }: { values: string[] }) => values[0])).toEqual(['new', 'old', team.name, 'c'])
    expect(list[0]).toEqual({ id: expect.any(Number), time: '2030-01-01T00:00:03.000Z', type: 'Normal', values: ['new'] })
    const page = (await visitor.get(`/api/game/${gameId}/notices?count=2&skip=1`)).json()
    expect(page.map(({ values }: { values: string[] }) => values[0])).toEqual(['old', team.name])
  })

  test('answers 304 to a client that has the current list', async () => {
    const { id } = await aGame(context.db)
    const etag = String((await visitor.get(`/api/game/${id}/notices`)).headers.etag)
    const get = () => visitor.inject({ url: `/api/game/${id}/notices`, headers: { 'if-none-match': etag } })
    expect((await get()).statusCode).toBe(304)
    await admin.post(`/api/edit/games/${id}/notices`, { content: 'news' })
    expect((await get()).statusCode).toBe(200)
  })

  test('notices are refused with 400 before the game starts, and can be read after the game ends', async () => {
    const before = await aGame(context.db, { phase: 'upcoming' })
    const response = await visitor.get(`/api/game/${before.id}/notices`)
    expect([response.statusCode, response.json().status, response.json().code]).toEqual([400, 400, 'game.before-start'])
    const over = await aGame(context.db, { phase: 'ended', practiceMode: false })
    expect((await visitor.get(`/api/game/${over.id}/notices`)).statusCode).toBe(200)
  })

  test('answers 404 for an unknown game', async () => {
    expect((await visitor.get('/api/game/999999/notices')).json().code).toBe('game.unknown')
  })
})

describe('writing a notice', () => {
  test('writing a notice publishes it to the game at once', async () => {
    const { id } = await aGame(context.db)
    const notice = (await admin.post(`/api/edit/games/${id}/notices`, { content: '**Hello**' })).json()
    expect(notice).toEqual({
      id: expect.any(Number),
      time: context.clock.now().toISOString(),
      type: 'Normal',
      values: ['**Hello**'],
    })
    await expect.poll(() => context.messages).toContainEqual({ kind: 'notice', gameId: id, payload: notice })
    expect((await admin.get(`/api/edit/games/${id}/notices`)).json()).toEqual([notice])
  })

  test('a notice of a game that has not started is not published, and can be read after the start', async () => {
    const { id } = await aGame(context.db, { phase: 'upcoming' })
    await admin.post(`/api/edit/games/${id}/notices`, { content: 'The start is near' })
    const running = await aGame(context.db)
    await admin.post(`/api/edit/games/${running.id}/notices`, { content: 'Hello' })
    const gamesOfPushes = () => context.messages.flatMap((message) => (message.kind === 'notice' ? [message.gameId] : []))
    await expect.poll(gamesOfPushes).toContain(running.id)
    expect(gamesOfPushes()).not.toContain(id)
    await context.db.update(games).set({ startsAt: context.clock.now() }).where(eq(games.id, id))
    expect((await visitor.get(`/api/game/${id}/notices`)).json()).toMatchObject([{ values: ['The start is near'] }])
  })

  test('a notice is refused if its text is blank or the game is unknown', async () => {
    const { id } = await aGame(context.db)
    expect((await admin.post(`/api/edit/games/${id}/notices`, { content: ' ' })).statusCode).toBe(400)
    expect((await admin.post('/api/edit/games/999999/notices', { content: 'x' })).json().code).toBe('game.unknown')
    expect((await admin.get('/api/edit/games/999999/notices')).json().code).toBe('game.unknown')
  })
})

describe('editing and deleting a notice', () => {
  test('an edit changes text and time of a notice, and sends no push message', async () => {
    const { id: gameId } = await aGame(context.db)
    const { id } = await aNotice(context.db, { gameId, publishedAt: at(1) })
    const pushed = context.messages.length
    const edited = (await admin.put(`/api/edit/games/${gameId}/notices/${id}`, { content: 'better' })).json()
    expect([edited.values, edited.time]).toEqual([['better'], context.clock.now().toISOString()])
    expect((await admin.delete(`/api/edit/games/${gameId}/notices/${id}`)).statusCode).toBe(200)
    expect((await admin.get(`/api/edit/games/${gameId}/notices`)).json()).toEqual([])
    expect(context.messages.length).toBe(pushed)
  })

  test("refuses to change a generated notice, and omits it from the list of organizers' notices", async () => {
    const { id: gameId } = await aGame(context.db)
    const { id } = await aNotice(context.db, { gameId, type: 'FirstBlood', values: ['team', 'c'] })
    expect((await admin.put(`/api/edit/games/${gameId}/notices/${id}`, { content: 'x' })).json().code).toBe('notice.generated')
    expect((await admin.delete(`/api/edit/games/${gameId}/notices/${id}`)).json().code).toBe('notice.generated')
    expect((await admin.get(`/api/edit/games/${gameId}/notices`)).json()).toEqual([])
  })

  test('answers 404 for a notice of another game', async () => {
    const [mine, other] = [await aGame(context.db), await aGame(context.db)]
    const { id } = await aNotice(context.db, { gameId: other.id })
    expect((await admin.put(`/api/edit/games/${mine.id}/notices/${id}`, { content: 'x' })).json().code).toBe('notice.unknown')
    expect((await admin.delete(`/api/edit/games/${mine.id}/notices/${id}`)).json().code).toBe('notice.unknown')
  })
})

describe('a generated notice', () => {
  /** Creates a running game with a first blood, a hint notice and a notice of another challenge. */
  const aScene = async () => {
    const challenge = await aChallenge(context.db, { title: 'Capstan Bar', flags: ['flag{right}'] })
    const { gameId } = challenge
    const other = await aChallenge(context.db, { gameId, title: 'Early Bird', isEnabled: false, flags: ['x'] })
    const player = await aPlayer(context, { gameId, challengeIds: [challenge.id] })
    await player.client.post(`/api/game/${gameId}/challenges/${challenge.id}`, { flag: 'flag{right}' })
    context.clock.advanceMs(1)
    await admin.put(`/api/edit/games/${gameId}/challenges/${challenge.id}`, { hints: ['Look up'] })
    await admin.put(`/api/edit/games/${gameId}/challenges/${other.id}`, { isEnabled: true })
    const read = () => visitor.get(`/api/game/${gameId}/notices`)
    const listed = async () =>
      (await read()).json().map(({ type, values }: { type: string; values: string[] }) => [type, ...values])
    return { gameId, challenge, other, player, read, listed }
  }

  test('a generated notice has the current names of team and challenge, and a rename changes the ETag of the list', async () => {
    const { gameId, challenge, player, read, listed } = await aScene()
    expect(await listed()).toEqual([
      ['NewChallenge', 'Early Bird'],
      ['NewHint', 'Capstan Bar'],
      ['FirstBlood', player.team.name, 'Capstan Bar'],
    ])
    const { etag } = (await read()).headers
    await admin.put(`/api/admin/teams/${player.team.id}`, { name: `Tidy ${player.team.id}` })
    await admin.put(`/api/edit/games/${gameId}/challenges/${challenge.id}`, { title: 'Capstan Bars' })
    expect(await listed()).toEqual([
      ['NewChallenge', 'Early Bird'],
      ['NewHint', 'Capstan Bars'],
      ['FirstBlood', `Tidy ${player.team.id}`, 'Capstan Bars'],
    ])
    expect((await read()).headers.etag).not.toBe(etag)
  })

  test('a notice is hidden while its challenge is disabled, and deleted with the challenge', async () => {
    const { gameId, other, listed } = await aScene()
    const setEnabled = (isEnabled: boolean) => admin.put(`/api/edit/games/${gameId}/challenges/${other.id}`, { isEnabled })
    const titles = async () => (await listed()).flat()
    await setEnabled(false)
    expect(await titles()).not.toContain('Early Bird')
    await setEnabled(true)
    expect(await titles()).toContain('Early Bird')
    await admin.delete(`/api/edit/games/${gameId}/challenges/${other.id}`)
    expect(await titles()).not.toContain('Early Bird')
    expect(await context.sql`select 1 from notices where challenge_id = ${other.id}`).toHaveLength(0)
  })

  test.each(['Suspended', 'Pending', 'Rejected'])('a notice is hidden while its team is %s', async (status) => {
    const { player, listed } = await aScene()
    await admin.put(`/api/admin/participation/${player.participation.id}/${status}`)
    expect((await listed()).map(([type]: string[]) => type)).toEqual(['NewChallenge', 'NewHint'])
    await admin.put(`/api/admin/participation/${player.participation.id}/Accepted`)
    expect((await listed()).map(([type]: string[]) => type)).toContain('FirstBlood')
  })

  test('a notice is deleted with its team', async () => {
    const { gameId, player, listed } = await aScene()
    await admin.delete(`/api/admin/teams/${player.team.id}`)
    expect((await listed()).map(([type]: string[]) => type)).toEqual(['NewChallenge', 'NewHint'])
    const stored = await context.sql`select values from notices where game_id = ${gameId}`
    expect(JSON.stringify(stored)).not.toContain(player.team.name)
  })

  test('an admin withdraws a notice, and the solve remains', async () => {
    const { gameId, player, listed } = await aScene()
    const path = `/api/edit/games/${gameId}/notices/generated`
    const generated: { id: number; type: string }[] = (await admin.get(path)).json()
    expect(generated.map(({ type }) => type)).toEqual(['NewChallenge', 'NewHint', 'FirstBlood'])
    const blood = generated.find(({ type }) => type === 'FirstBlood')
    expect((await admin.delete(`${path}/${blood?.id}`)).statusCode).toBe(200)
    expect((await listed()).map(([type]: string[]) => type)).toEqual(['NewChallenge', 'NewHint'])
    expect((await admin.delete(`${path}/${blood?.id}`)).json().code).toBe('notice.unknown')
    const written = (await admin.post(`/api/edit/games/${gameId}/notices`, { content: 'Hello' })).json()
    expect((await admin.delete(`${path}/${written.id}`)).json().code).toBe('notice.unknown')
    expect(await context.sql`select 1 from solves where participation_id = ${player.participation.id}`).toHaveLength(1)
  })

  test('a generated notice shows challenge and team even if an earlier version stored only their names', async () => {
    const { gameId, player, listed } = await aScene()
    await context.sql`delete from notices where game_id = ${gameId}`
    await context.sql`insert into notices (game_id, type, values) values
      (${gameId}, 'SecondBlood', array[${player.team.name}, 'Capstan Bar']), (${gameId}, 'NewHint', array['Gone for good'])`
    expect(await listed()).toEqual([['SecondBlood', player.team.name, 'Capstan Bar']])
  })
})

test.each([
  ['a visitor', undefined, 401],
  ['a monitor', 'Monitor', 403],
] as const)('refuses to let %s write a notice', async (_who, role, status) => {
  const client = role ? (await signInAsNewUser(context, role)).client : visitor
  const { id } = await aGame(context.db)
  const answers = await Promise.all([
    client.get(`/api/edit/games/${id}/notices`),
    client.post(`/api/edit/games/${id}/notices`, { content: 'x' }),
    client.put(`/api/edit/games/${id}/notices/1`, { content: 'x' }),
    client.delete(`/api/edit/games/${id}/notices/1`),
    client.get(`/api/edit/games/${id}/notices/generated`),
    client.delete(`/api/edit/games/${id}/notices/generated/1`),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => status))
})
