import { Limits, RateLimits } from '@capstan/contract/limits'
import { mailQueue, users } from '@capstan/db/schema/accounts'
import { divisions } from '@capstan/db/schema/games'
import { asc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { deliverQueuedMails, parseMailedLink } from '../../testing/people-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'
import { sealUnsubscribeToken } from './unsubscribe-token.ts'

const origin = 'http://localhost'
const content = { subject: 'Doors <open>', text: 'Hello & welcome.\nSee you.' }

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: origin } })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
beforeEach(() => context.db.delete(mailQueue))
afterAll(() => context.close())

function pathOf(gameId: number) {
  return `/api/edit/games/${gameId}/mail`
}

async function queuedAddresses() {
  const rows = await context.db.select({ recipient: mailQueue.recipient }).from(mailQueue)
  return rows.map(({ recipient }) => recipient).toSorted()
}

/** Creates a game with accepted and pending teams in two divisions, and with members who get no mail. */
async function aStage() {
  const game = await aGame(context.db, { title: 'Autumn Cup', divisions: [{ name: 'Students' }, { name: 'Open' }] })
  const [students] = await context.db
    .select()
    .from(divisions)
    .where(eq(divisions.gameId, game.id))
    .orderBy(asc(divisions.position))
  const student = await aPlayer(context, { gameId: game.id, division: 'Students' })
  const mate = await aTeamMate(context, student)
  const pending = await aPlayer(context, { gameId: game.id, division: 'Students', status: 'Pending' })
  const other = await aPlayer(context, { gameId: game.id, division: 'Open' })
  await aPlayer(context)
  const silent = [await aTeamMate(context, other), await aTeamMate(context, other), await aTeamMate(context, other)] as const
  const changes = [{ role: 'Banned' }, { emailConfirmed: false }, { hasGameMail: false }] as const
  for (const [index, change] of changes.entries())
    await context.db.update(users).set(change).where(eq(users.id, silent[index]!.user.id))
  const addressesOf = (...people: { user: { email: string } }[]) => people.map(({ user }) => user.email).toSorted()
  return { game, divisionId: students!.id, student, mate, pending, other, addressesOf }
}

test('sends one mail to each user of the audience, except banned, unconfirmed and unsubscribed users', async () => {
  const { game, divisionId, student, mate, pending, other, addressesOf } = await aStage()
  const audiences = [
    [{}, addressesOf(student, mate, pending, other)],
    [{ onlyAccepted: true }, addressesOf(student, mate, other)],
    [{ divisionId }, addressesOf(student, mate, pending)],
    [{ divisionId, onlyAccepted: true }, addressesOf(student, mate)],
  ] as const
  for (const [audience, expected] of audiences) {
    const query = new URLSearchParams(Object.entries(audience).map(([name, value]): [string, string] => [name, String(value)]))
    expect((await admin.get(`${pathOf(game.id)}?${query}`)).json()).toEqual({ recipients: expected.length })
    expect((await admin.post(pathOf(game.id), { ...audience, ...content })).json()).toEqual({ recipients: expected.length })
    expect(await queuedAddresses()).toEqual(expected)
    await context.db.delete(mailQueue)
  }
})

test('a mail contains the text, the title of the game, and links to unsubscribe from mails of games', async () => {
  const game = await aGame(context.db, { title: 'Autumn Cup' })
  const { user, client } = await aPlayer(context, { gameId: game.id })
  await admin.post(pathOf(game.id), content)
  const [mail] = await deliverQueuedMails(context)
  expect(mail).toMatchObject({ recipient: user.email, subject: 'Autumn Cup - Doors <open>' })
  expect(mail!.text).toMatch(/^Hello & welcome\.\nSee you\.\n\n-- \n[^\n]*Autumn Cup/)
  expect(mail!.html).toContain('Hello &amp; welcome.\nSee you.')
  expect(parseMailedLink(mail!).url.href).toMatch(/^http:\/\/localhost\/account\/unsubscribe\?token=v1\.[\w.-]+$/)
  const oneClick = new URL(mail!.unsubscribeUrl!)
  expect(oneClick.origin).toBe(origin)
  const shown = await createTestClient(context.app).get(oneClick.pathname + oneClick.search)
  expect([shown.statusCode, shown.headers.location]).toEqual([302, parseMailedLink(mail!).url.href.slice(origin.length)])
  expect((await client.get('/api/account/gamemail')).json()).toEqual({ hasGameMail: true })
  const answer = await createTestClient(context.app).inject({
    method: 'POST',
    url: oneClick.pathname + oneClick.search,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click',
  })
  expect(answer.statusCode).toBe(200)
  expect((await client.get('/api/account/gamemail')).json()).toEqual({ hasGameMail: false })
  expect((await admin.get(pathOf(game.id))).json()).toEqual({ recipients: 0 })
  await client.put('/api/account/gamemail', { hasGameMail: true })
  expect((await admin.get(pathOf(game.id))).json()).toEqual({ recipients: 1 })
})

test('logs that a mail was sent, but not its text', async () => {
  const game = await aGame(context.db, { title: 'Autumn Cup' })
  await aPlayer(context, { gameId: game.id })
  await admin.post(pathOf(game.id), content)
  const { message } = context.logLines.at(-1)!
  expect(message).toBe('Queued mails to 1 participants of "Autumn Cup"')
})

test('mails are sent at a limited rate, and a second game waits until the mails of the first game are sent', async () => {
  const [first, second] = [await aGame(context.db), await aGame(context.db)]
  for (const { id } of [first, first, second]) await aPlayer(context, { gameId: id })
  await admin.post(pathOf(first.id), content)
  await admin.post(pathOf(second.id), content)
  const rows = await context.db.select().from(mailQueue).orderBy(asc(mailQueue.nextAttemptAt))
  const stepMs = 1000 / Limits.gameMailsPerSecond
  const startMs = context.clock.now().getTime()
  expect((await admin.get('/api/admin/config/mail')).json()).toEqual({ waiting: 3 })
  expect(rows.map(({ nextAttemptAt }) => nextAttemptAt.getTime() - startMs)).toEqual([0, stepMs, 2 * stepMs])
})

test('refuses a division of another game, an unknown game and an empty text', async () => {
  const { game, divisionId } = await aStage()
  const foreign = await aGame(context.db)
  const codes = [
    await admin.get(`${pathOf(foreign.id)}?divisionId=${divisionId}`),
    await admin.post(pathOf(foreign.id), { ...content, divisionId }),
    await admin.post(pathOf(2_000_000_000), content),
    await admin.post(pathOf(game.id), { ...content, text: '' }),
    await admin.post(pathOf(game.id), { ...content, subject: 'x'.repeat(Limits.maxGameMailSubjectLength + 1) }),
  ].map((answer) => answer.json().code)
  expect(codes).toEqual(['division.unknown', 'division.unknown', 'game.unknown', 'request.invalid', 'request.invalid'])
  expect(await context.db.$count(mailQueue)).toBe(0)
})

test('refuses forged unsubscribe tokens and changes nothing', async () => {
  const { user, client } = await aPlayer(context)
  const token = sealUnsubscribeToken(user.id, context.deps.config.secretKey)
  const visitor = createTestClient(context.app)
  const forged = [`${token}A`, token.replace('v1', 'v2'), user.id, sealUnsubscribeToken(user.id, 'another secret')]
  for (const value of forged) {
    const answer = await visitor.post(`/api/account/gamemail/unsubscribe?token=${value}`)
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'email.unsubscribe'])
  }
  expect((await client.get('/api/account/gamemail')).json()).toEqual({ hasGameMail: true })
})

test.each([
  [
    'email.no-server',
    { mailer: { isConfigured: false, send: async () => {}, close: () => {} }, config: { publicOrigin: origin } },
  ],
  ['email.no-origin', {}],
])('answers %s if the deployment cannot send such mails', async (code, options) => {
  const bare = await startTestApp(options)
  try {
    const { client } = await signInAsNewUser(bare, 'Admin')
    const game = await aGame(bare.db)
    for (const answer of [await client.get(pathOf(game.id)), await client.post(pathOf(game.id), content)])
      expect([answer.statusCode, answer.json().code]).toEqual([400, code])
  } finally {
    await bare.close()
  }
})

test('refuses mails of a game above the limit, but accepts mails of another game', async () => {
  const limited = await startTestApp({ config: { publicOrigin: origin, rateLimits: true } })
  try {
    const { client } = await signInAsNewUser(limited, 'Admin')
    const [game, other] = [await aGame(limited.db), await aGame(limited.db)]
    await aPlayer(limited, { gameId: game.id })
    const statuses: number[] = []
    for (let count = 0; count <= RateLimits.gameMail.count; count += 1)
      statuses.push((await client.post(pathOf(game.id), content)).statusCode)
    expect(statuses).toEqual([...Array.from({ length: RateLimits.gameMail.count }, () => 200), 429])
    expect(await limited.db.$count(mailQueue)).toBe(RateLimits.gameMail.count)
    expect((await client.post(pathOf(other.id), content)).statusCode).toBe(200)
  } finally {
    await limited.close()
  }
})
