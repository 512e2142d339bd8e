import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
let visitor: TestClient
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  visitor = createTestClient(context.app)
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

const hour = 3_600_000

function fromNow(hours: number): Date {
  return new Date(Date.now() + hours * hour)
}

/** Creates a game with two teams. Only one of the teams solved a challenge. */
async function aScene(times: Partial<Parameters<typeof aGame>[1]> = {}) {
  const game = await aGame(context.db, { title: 'Harbor <Cup>', ...times })
  const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Lock & Key', flags: ['flag{right}'] })
  const values = { gameId: game.id, challengeIds: [challenge.id] }
  const [first, second] = [await aPlayer(context, values), await aPlayer(context, values)]
  await aSubmission(context.db, first.participation, challenge.id, { solve: true, userId: first.user.id })
  return { game, challenge, first, second }
}

const poll = { timeout: 120_000 }

test('the calendar lists public games with their times, but not hidden games', async () => {
  const [game, hidden] = [await aGame(context.db, { title: 'Open, early' }), await aGame(context.db, { hidden: true })]
  const answer = await visitor.get('/api/feeds/games.ics')
  expect(answer.headers['content-type']).toBe('text/calendar; charset=utf-8')
  const lines = answer.body.split('\r\n')
  expect(lines).toContain(`UID:game-${game.id}@localhost`)
  expect(lines).toContain('SUMMARY:Open\\, early')
  const stamp = (at: Date) => at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  expect(lines).toContain(`DTSTART:${stamp(game.startsAt)}`)
  expect(lines).toContain(`DTEND:${stamp(game.endsAt)}`)
  expect(answer.body).not.toContain(`game-${hidden.id}@`)
})

test('the feed of posts lists the latest posts with links and escaped texts', async () => {
  const id: string = (await admin.post('/api/edit/posts', { title: 'A <b> & \u0001', summary: 'Starts at 10' })).json()
  const answer = await visitor.get('/api/feeds/posts.atom')
  expect(answer.headers['content-type']).toBe('application/atom+xml; charset=utf-8')
  expect(answer.body).toContain(`/posts/${id}</id>`)
  expect(answer.body).toContain('Starts at 10')
  expect(answer.body).not.toContain('<b>')
  expect(answer.body).not.toContain('\u0001')
})

test('the feed of notices is in the language of the reader, and is refused before the start of the game', async () => {
  const { game } = await aScene()
  await admin.post(`/api/edit/games/${game.id}/notices`, { content: 'Lunch is ready\nin the hall' })
  const feed = await visitor.get(`/api/game/${game.id}/notices.atom`, undefined, { 'accept-language': 'de' })
  expect(feed.body).toContain('<title>Meldungen von Harbor &lt;Cup&gt;</title>')
  expect(feed.body).toContain('Lunch is ready')
  const early = await aGame(context.db, { startsAt: fromNow(1), endsAt: fromNow(2) })
  const refused = await visitor.get(`/api/game/${early.id}/notices.atom`)
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'game.before-start'])
})

test('the embeddable page shows the ranked teams without scripts, and any website may show it in a frame', async () => {
  const { game, first } = await aScene()
  const read = () => visitor.get(`/api/game/${game.id}/scoreboard/embed`)
  await expect.poll(async () => (await read()).body, poll).toContain(first.team.name)
  const page = await read()
  expect(page.headers['content-security-policy']).toContain('frame-ancestors *')
  expect(page.headers['content-security-policy']).toContain("default-src 'none'")
  expect(page.body).not.toContain('<script')
  expect(page.body).toContain('Harbor &lt;Cup&gt;')
  const short = await visitor.get(`/api/game/${game.id}/scoreboard/embed?count=1`)
  expect(short.body.match(/<tr><td/g)).toHaveLength(1)
  expect((await visitor.get(`/api/game/${game.id}/scoreboard/embed?count=51`)).statusCode).toBe(400)
})

test('before the start, the embeddable page and the badge show the phase of the game, but no team', async () => {
  const game = await aGame(context.db, { title: 'Later', startsAt: fromNow(1), endsAt: fromNow(2) })
  const { team } = await aPlayer(context, { gameId: game.id })
  const frame = await visitor.get(`/api/game/${game.id}/scoreboard/embed`)
  expect(frame.body).toContain('Upcoming')
  expect(frame.body).not.toContain(team.name)
  const badge = await visitor.get(`/api/game/${game.id}/badge.svg?team=${team.id}`)
  expect(badge.body).toContain('Upcoming')
  expect(badge.body).not.toContain(team.name)
})

test('a badge shows the phase of a game, or the rank and score of a team', async () => {
  const { game, first } = await aScene()
  const badge = await visitor.get(`/api/game/${game.id}/badge.svg`)
  expect([badge.statusCode, badge.headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  expect(badge.body).toContain('Harbor &lt;Cup&gt;')
  expect(badge.body).toContain('Running')
  const ofTeam = async () => (await visitor.get(`/api/game/${game.id}/badge.svg?team=${first.team.id}`)).body
  await expect.poll(ofTeam, poll).toMatch(/#1 · Score 1,\d{3}</)
  const absent = await visitor.get(`/api/game/${game.id}/badge.svg?team=2147483647`)
  expect([absent.statusCode, absent.json().code]).toEqual([404, 'team.unknown'])
})

test('while the board is frozen, the embeddable page and the badge show the frozen board', async () => {
  const { game, challenge, second } = await aScene({ endsAt: fromNow(4), freezeAt: fromNow(1) })
  context.clock.set(fromNow(2))
  await aSubmission(context.db, second.participation, challenge.id, {
    ...{ solve: true, userId: second.user.id, submittedAt: fromNow(2) },
  })
  const badge = async () => (await visitor.get(`/api/game/${game.id}/badge.svg?team=${second.team.id}`)).body
  await expect.poll(badge, poll).toContain('Score 0')
  const frame = await visitor.get(`/api/game/${game.id}/scoreboard/embed`)
  expect(frame.body).toContain('Scoreboard frozen')
})
