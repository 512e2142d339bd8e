import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookCreated, WebhookDelivery, WebhookWrite } from '@capstan/contract/webhooks'
import { games } from '@capstan/db/schema/games'
import { instances } from '@capstan/db/schema/instances'
import { tickets } from '@capstan/db/schema/tickets'
import { webhooks } from '@capstan/db/schema/webhooks'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFencedFetch } from '../../server/outgoing/fenced-fetch.ts'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import {
  aChallenge,
  aGame,
  aNotice,
  anEvent,
  anInstance,
  aParticipation,
  aSubmission,
} from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { createWebhookSender, type WebhookSender } from './sender.ts'

type Received = { url: string; method: string; headers: IncomingHttpHeaders; body: string; text: string }
type Answer = { status: number; headers?: Record<string, string>; body?: string }

let context: TestApp
let admin: TestClient
let sender: WebhookSender
let server: Server
let origin: string
let received: Received[]
let answers: Answer[]
/** Function that the server calls before it responds to the next request. */
let beforeAnswer: (() => Promise<unknown>) | undefined

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      const { url = '', method = '', headers } = request
      received.push({ url, method, headers, body, text: JSON.parse(body || '{}').text })
      const change = beforeAnswer
      beforeAnswer = undefined
      await change?.()
      const { status, headers: sent = {}, body: answer = 'ok' } = answers.shift() ?? { status: 200 }
      response.writeHead(status, sent).end(answer)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const outgoing = createFencedFetch({ allowed: ['127.0.0.1'], blocked: [], http: true })
  context = await startTestApp({ deps: { outgoing } })
  admin = (await signInAsNewUser(context, 'Admin')).client
  sender = createWebhookSender({ ...context.deps, log: { error: (fields: object) => expect.fail(JSON.stringify(fields)) } })
})

beforeEach(() => {
  received = []
  answers = []
})

afterEach(async () => {
  for (const { id } of (await admin.get('/api/admin/webhooks')).json()) await admin.delete(`/api/admin/webhooks/${id}`)
})

afterAll(async () => {
  await context.close()
  server.close()
})

async function aWebhook(changes: Partial<WebhookWrite> = {}): Promise<WebhookCreated> {
  const body: WebhookWrite = {
    ...{ name: 'Chat', service: 'Json', address: `${origin}/hook`, authorization: null, gameId: null },
    ...{ kinds: ['Notice', 'Solve', 'FirstBlood', 'ChallengeReleased'], isForOrganizers: false, language: 'en-US' },
    ...{ template: '{"text":"{message}"}', isEnabled: true },
    ...changes,
  }
  const response = await admin.post('/api/admin/webhooks', body)
  expect(response.statusCode).toBe(200)
  return response.json()
}

async function listDeliveries(id: string): Promise<WebhookDelivery[]> {
  return (await admin.get(`/api/admin/webhooks/${id}/deliveries?count=100`)).json()
}

async function getWebhook(id: string) {
  return (await admin.get('/api/admin/webhooks')).json().find((one: { id: string }) => one.id === id)
}

function addNotice(values: Parameters<typeof aNotice>[1]) {
  return aNotice(context.db, { publishedAt: context.clock.now(), ...values })
}

function texts() {
  return received.map(({ text }) => text)
}

describe('events', () => {
  test.each(['solve', 'ticket'] as const)('a %s succeeds while a webhook is being deleted', async (kind) => {
    const { webhook } = await aWebhook({ kinds: ['Solve', 'Ticket'], isForOrganizers: true })
    const game = await aGame(context.db)
    const challenge = await aChallenge(context.db, { gameId: game.id })
    const { client, participation } = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
    const change = async () => {
      if (kind === 'solve') await aSubmission(context.db, participation, challenge.id, { solve: true })
      else expect((await client.post(`/api/game/${game.id}/tickets`, { subject: 'Help', text: 'Please' })).statusCode).toBe(200)
    }
    const isWaiting = async () =>
      (await context.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0
    let hasEnded = false
    let changed = Promise.resolve()
    await context.db.transaction(async (transaction) => {
      await transaction.delete(webhooks).where(eq(webhooks.id, webhook.id))
      changed = change().finally(() => {
        hasEnded = true
      })
      await expect.poll(async () => hasEnded || (await isWaiting())).toBe(true)
    })
    await changed
  })

  test('events are sent in order, with a signature, current names, and the same id in each attempt', async () => {
    const { webhook, signingKey } = await aWebhook({ authorization: 'Bearer secret' })
    const game = await aGame(context.db, { title: 'Cup' })
    const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Knots' })
    const participation = await aParticipation(context.db, { gameId: game.id })
    await admin.post(`/api/edit/games/${game.id}/notices`, { content: 'Welcome' })
    await aSubmission(context.db, participation, challenge.id, { solve: true, submittedAt: context.clock.now() })
    await addNotice({
      gameId: game.id,
      type: 'FirstBlood',
      values: [],
      challengeId: challenge.id,
      teamId: participation.teamId,
    })
    await context.db.update(games).set({ title: 'Grand Cup' }).where(eq(games.id, game.id))
    await sender.deliver()
    const team = participation.team.name
    expect(texts()).toEqual([
      'Grand Cup: Welcome',
      `${team} solved Knots in Grand Cup`,
      `First blood in Grand Cup: ${team} solved Knots`,
    ])
    const [{ headers, body, method, url }] = received as [Received]
    expect([method, url, headers.authorization, headers['content-type']]).toEqual([
      'POST',
      '/hook',
      'Bearer secret',
      'application/json',
    ])
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const key = Buffer.from(signingKey.slice('whsec_'.length), 'base64')
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    const [newest] = await listDeliveries(webhook.id)
    expect(newest).toMatchObject({ state: 'Delivered', attempts: 1, status: 200, answer: 'ok', kind: 'FirstBlood', error: null })
    expect(newest?.eventId).toBe(received[2]?.headers['webhook-id'])
  })

  test('many events of one webhook do not delay the events of other webhooks', async () => {
    const game = await aGame(context.db)
    const hooks = ['/0', '/1', '/2', '/3', '/4']
    for (const hook of hooks) await aWebhook({ address: origin + hook, gameId: game.id, kinds: ['Notice'] })
    for (let count = 0; count < 30; count++) await addNotice({ gameId: game.id })
    await sender.deliver()
    const urls = received.map(({ url }) => url)
    expect(urls).toHaveLength(150)
    const firsts = hooks.map((hook) => urls.indexOf(hook))
    const lasts = hooks.map((hook) => urls.lastIndexOf(hook))
    expect(Math.max(...firsts)).toBeLessThan(Math.min(...lasts))
  })

  test('the api stores an event only for enabled webhooks that subscribe to the game and the event kind', async () => {
    const [game, other] = [await aGame(context.db), await aGame(context.db)]
    const own = await aWebhook({ gameId: game.id, kinds: ['Notice'] })
    const off = await aWebhook({ isEnabled: false })
    for (const { id } of [game, other]) await admin.post(`/api/edit/games/${id}/notices`, { content: `for ${id}` })
    await addNotice({ gameId: game.id, type: 'NewHint', values: [] })
    await sender.deliver()
    expect(texts()).toEqual([`A game: for ${game.id}`])
    expect([await listDeliveries(own.webhook.id), await listDeliveries(off.webhook.id)].map(({ length }) => length)).toEqual([
      1, 0,
    ])
  })

  test('events about solves wait for the reveal of a frozen board, but notices are sent at once', async () => {
    const { webhook } = await aWebhook()
    const freezeAt = new Date(context.clock.now().getTime() - 60_000)
    const game = await aGame(context.db, { title: 'Cup', freezeAt })
    const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Knots' })
    const participation = await aParticipation(context.db, { gameId: game.id })
    await aSubmission(context.db, participation, challenge.id, { solve: true, submittedAt: new Date(freezeAt.getTime() + 1) })
    await admin.post(`/api/edit/games/${game.id}/notices`, { content: 'Frozen' })
    await sender.deliver()
    expect(texts()).toEqual(['Cup: Frozen'])
    expect((await listDeliveries(webhook.id)).map(({ state }) => state)).toEqual(['Delivered', 'Held'])
    expect(await getWebhook(webhook.id)).toMatchObject({ pending: 0 })
    await context.db.update(games).set({ revealedAt: context.clock.now() }).where(eq(games.id, game.id))
    await sender.deliver()
    expect(texts()).toEqual(['Cup: Frozen', `${participation.team.name} solved Knots in Cup`])
  })

  test('events that players must not see are sent only to webhooks for organizers', async () => {
    const refused = await admin.post('/api/admin/webhooks', {
      ...{ name: 'x', service: 'Json', address: origin, authorization: null, gameId: null, kinds: ['SuspectedCheating'] },
      ...{ isForOrganizers: false, language: 'en-US', template: '{}', isEnabled: true },
    })
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'webhook.kinds'])
    await aWebhook({ kinds: ['SuspectedCheating', 'InstanceFailed'], isForOrganizers: true })
    const game = await aGame(context.db, { title: 'Cup', hidden: true })
    const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Knots' })
    const participation = await aParticipation(context.db, { gameId: game.id })
    const submission = await aSubmission(context.db, participation, challenge.id, { status: 'CheatDetected' })
    await anEvent(context.db, {
      ...{ gameId: game.id, type: 'CheatDetected', values: [], teamId: participation.teamId, submissionId: submission.id },
      occurredAt: context.clock.now(),
    })
    const instance = await anInstance(context.db, {
      gameId: game.id,
      challengeId: challenge.id,
      participationId: participation.id,
    })
    await context.db
      .update(instances)
      .set({ endedAt: context.clock.now(), reason: 'It crashed' })
      .where(eq(instances.id, instance.id))
    await sender.deliver()
    const team = participation.team.name
    expect(texts()).toEqual([
      `${team} submitted the flag of another team for Knots in Cup`,
      'An instance of Knots failed in Cup: It crashed',
    ])
  })

  test('an event about a ticket contains its subject but not its text, and is dropped if the ticket is removed', async () => {
    const { webhook } = await aWebhook({ kinds: ['Ticket'], isForOrganizers: true })
    const game = await aGame(context.db, { title: 'Cup' })
    const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Knots' })
    const player = await aPlayer(context, { gameId: game.id })
    const open = async (subject: string) =>
      (
        await player.client.post(`/api/game/${game.id}/tickets`, { subject, text: 'flag{private}', challengeId: challenge.id })
      ).json()
    await open('It is slow')
    const { id } = await open('Sent by mistake')
    await context.db.delete(tickets).where(eq(tickets.id, id))
    await sender.deliver()
    expect(received).toHaveLength(1)
    expect(received[0]?.text).toContain('It is slow')
    expect(received[0]?.text).toContain(player.team.name)
    expect(received[0]?.body).not.toContain('flag{private}')
    expect((await listDeliveries(webhook.id)).map(({ state, error }) => [state, error])).toEqual([
      ['Dropped', 'The notice, solve or ticket was removed.'],
      ['Delivered', null],
    ])
  })

  test('start, freeze and end of a game are announced once if they are later than the creation of the webhook', async () => {
    await aWebhook({ kinds: ['GameStarted', 'GameEnded', 'BoardFrozen'] })
    const now = context.clock.now().getTime()
    const at = (minutes: number) => new Date(now + minutes * 60_000)
    await aGame(context.db, { title: 'Old', startsAt: at(-10), endsAt: at(600) })
    await aGame(context.db, { title: 'Secret', startsAt: at(1), endsAt: at(20), hidden: true })
    const game = await aGame(context.db, { title: 'Cup', startsAt: at(1), freezeAt: at(10), endsAt: at(20) })
    await sender.deliver()
    expect(texts()).toEqual([])
    context.clock.advanceMs(15 * 60_000)
    await Promise.all([sender.deliver(), sender.deliver()])
    context.clock.advanceMs(15 * 60_000)
    await sender.deliver()
    await sender.deliver()
    expect(texts()).toEqual(['Cup has started', 'The scoreboard of Cup is frozen', 'Cup has ended'])
    await context.db.delete(games).where(eq(games.id, game.id))
  })

  test('the start event of a game is sent before newer notices', async () => {
    await aWebhook({ kinds: ['GameStarted', 'Notice'] })
    const startsAt = new Date(context.clock.now().getTime() + 60_000)
    const game = await aGame(context.db, { title: 'Cup', startsAt, endsAt: new Date(startsAt.getTime() + 3_600_000) })
    await addNotice({ gameId: (await aGame(context.db, { title: 'Other' })).id, values: ['News'] })
    beforeAnswer = async () => {
      context.clock.advanceMs(90_000)
      await addNotice({ gameId: game.id, values: ['Go'] })
    }
    await sender.deliver()
    expect(texts()).toEqual(['Other: News', 'Cup has started', 'Cup: Go'])
    await context.db.delete(games).where(eq(games.id, game.id))
  })

  test('a notice of a game that has not started is sent after the start', async () => {
    await aWebhook({ kinds: ['Notice'] })
    const startsAt = new Date(context.clock.now().getTime() + 60_000)
    const game = await aGame(context.db, { title: 'Cup', startsAt, endsAt: new Date(startsAt.getTime() + 3_600_000) })
    await addNotice({ gameId: game.id, values: ['Soon'] })
    await sender.deliver()
    expect(texts()).toEqual([])
    context.clock.advanceMs(60_000)
    await sender.deliver()
    expect(texts()).toEqual(['Cup: Soon'])
    await context.db.delete(games).where(eq(games.id, game.id))
  })

  test('events that players can no longer see are dropped', async () => {
    const { webhook } = await aWebhook()
    const game = await aGame(context.db)
    const hidden = await aChallenge(context.db, { gameId: game.id, isEnabled: false })
    await addNotice({ gameId: game.id, type: 'NewChallenge', values: [], challengeId: hidden.id })
    const { id } = (await admin.post(`/api/edit/games/${game.id}/notices`, { content: 'Mistake' })).json()
    await admin.delete(`/api/edit/games/${game.id}/notices/${id}`)
    await sender.deliver()
    expect(received).toEqual([])
    expect((await listDeliveries(webhook.id)).map(({ state, error }) => [state, error])).toEqual([
      ['Dropped', 'The notice, solve or ticket was removed.'],
      ['Dropped', 'The challenge is hidden.'],
    ])
  })
})

describe('failures', () => {
  async function notices(...contents: string[]) {
    const game = await aGame(context.db, { title: 'Cup' })
    for (const content of contents) await admin.post(`/api/edit/games/${game.id}/notices`, { content })
  }

  test('a failed event is retried with the same id after growing delays, and delays all later events', async () => {
    const { webhook } = await aWebhook()
    await notices('one', 'two')
    answers = [{ status: 500 }, { status: 429, headers: { 'retry-after': '60' } }]
    await sender.deliver()
    context.clock.advanceMs(4_000)
    await sender.deliver()
    expect(texts()).toEqual(['Cup: one'])
    expect(await getWebhook(webhook.id)).toMatchObject({ pending: 2, lastError: 'The receiver answered 500.', isEnabled: true })
    context.clock.advanceMs(1_000)
    await sender.deliver()
    context.clock.advanceMs(59_000)
    await sender.deliver()
    expect(texts()).toEqual(['Cup: one', 'Cup: one'])
    context.clock.advanceMs(1_000)
    await sender.deliver()
    expect(texts()).toEqual(['Cup: one', 'Cup: one', 'Cup: one', 'Cup: two'])
    expect(new Set(received.slice(0, 3).map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await getWebhook(webhook.id)).toMatchObject({ pending: 0, lastError: null, nextAttemptAt: null })
  })

  test('a refused event does not delay later events, and an admin can send it again', async () => {
    const { webhook } = await aWebhook()
    await notices('one', 'two')
    answers = [{ status: 400, body: 'bad text' }]
    await sender.deliver()
    expect(texts()).toEqual(['Cup: one', 'Cup: two'])
    const refused = (await listDeliveries(webhook.id)).at(-1)!
    expect(refused).toMatchObject({ state: 'Refused', status: 400, answer: 'bad text' })
    expect((await admin.post(`/api/admin/webhooks/${webhook.id}/deliveries/${refused.id}/resend`)).statusCode).toBe(200)
    await sender.deliver()
    expect(received.at(-1)).toMatchObject({ text: 'Cup: one', headers: { 'webhook-id': refused.eventId } })
    expect((await listDeliveries(webhook.id)).at(-1)).toMatchObject({ state: 'Delivered', attempts: 2 })
  })

  test.each([301, 302, 303, 307, 308])(
    'the api treats the redirect status %s as a refusal, and does not follow the redirect',
    async (status) => {
      const { webhook } = await aWebhook()
      await notices('one')
      answers = [{ status, headers: { location: '/landing' } }]
      await sender.deliver()
      expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /hook'])
      expect(await listDeliveries(webhook.id)).toMatchObject([{ state: 'Refused', status }])
    },
  )

  test('an admin cannot resend a pending event, and a retry does not change the body', async () => {
    const { webhook } = await aWebhook()
    await notices('one')
    answers = [{ status: 500 }]
    await sender.deliver()
    const [waiting] = (await listDeliveries(webhook.id)) as [WebhookDelivery]
    const resend = (id: number) => admin.post(`/api/admin/webhooks/${webhook.id}/deliveries/${id}/resend`)
    const [pending, unknown] = [await resend(waiting.id), await resend(2 ** 40)]
    expect([pending.statusCode, pending.json().code]).toEqual([400, 'delivery.pending'])
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'delivery.unknown'])
    await context.db.update(games).set({ title: 'Renamed' })
    context.clock.advanceMs(5_000)
    await sender.deliver()
    expect(texts()).toEqual(['Cup: one', 'Cup: one'])
  })

  test('after three days of failures, a webhook is switched off and its owner is notified', async () => {
    const { webhook } = await aWebhook({ name: 'Broken' })
    await notices('one')
    answers = Array.from({ length: 40 }, () => ({ status: 503 }))
    for (let hour = 0; hour <= 100; hour++) {
      await sender.deliver()
      context.clock.advanceMs(3_600_000)
    }
    expect(await getWebhook(webhook.id)).toMatchObject({
      isEnabled: false,
      disabledReason: 'It has failed for 72 hours. The receiver answered 503.',
    })
    expect(context.logLines.filter(({ message }) => message.startsWith('Switched off the webhook Broken'))).toHaveLength(1)
    const mails = await context.sql`select subject, text from mail_queue where text like '%“Broken”%'`
    expect(mails).toHaveLength(1)
  })

  test.each([
    ['twenty refusals in a row', 404, 20],
    ['an address that no longer exists', 410, 1],
  ])('a webhook is switched off because of %s', async (_, status, requests) => {
    const { webhook } = await aWebhook()
    await notices(...Array.from({ length: 22 }, (_unused, index) => `n${index}`))
    answers = Array.from({ length: 22 }, () => ({ status }))
    await sender.deliver()
    expect(received).toHaveLength(requests)
    expect(await getWebhook(webhook.id)).toMatchObject({ isEnabled: false })
  })

  test('a test call reports an unreachable address, and a forbidden address is refused', async () => {
    const { webhook } = await aWebhook({ address: 'http://127.0.0.1:1/' })
    const refused = await admin.post(`/api/admin/webhooks/${webhook.id}/test`)
    expect(refused.json()).toEqual({ status: null, answer: null, error: 'The server could not be reached (ECONNREFUSED).' })
    const body = { ...(await getWebhook(webhook.id)), address: 'http://10.0.0.1/', authorization: null }
    const response = await admin.put(`/api/admin/webhooks/${webhook.id}`, body)
    expect([response.statusCode, response.json().code]).toEqual([400, 'webhook.address'])
  })
})

describe('a webhook', () => {
  test('responses never contain secrets of a webhook, and a write without secrets retains them', async () => {
    const { webhook, signingKey } = await aWebhook({ address: `${origin}/bot-secret-word`, authorization: 'Bearer other-secret' })
    const update = { ...webhook, address: null, authorization: null, name: 'Renamed' }
    const answers = [
      (await admin.put(`/api/admin/webhooks/${webhook.id}`, update)).body,
      (await admin.get('/api/admin/webhooks')).body,
      JSON.stringify(await context.sql`select * from webhooks`),
    ].join()
    for (const secret of ['secret-word', 'other-secret', signingKey]) expect(answers).not.toContain(secret)
    await admin.post(`/api/admin/webhooks/${webhook.id}/test`)
    expect(received[0]).toMatchObject({ url: '/bot-secret-word', headers: { authorization: 'Bearer other-secret' } })
    await admin.put(`/api/admin/webhooks/${webhook.id}`, { ...update, authorization: '' })
    await admin.post(`/api/admin/webhooks/${webhook.id}/test`)
    expect(received[1]?.headers.authorization).toBeUndefined()
  })

  test('a stored authorization is not sent to an address with another origin', async () => {
    const { webhook } = await aWebhook({ authorization: 'Bearer secret' })
    const change = async (address: string, authorization: string | null) => {
      const response = await admin.put(`/api/admin/webhooks/${webhook.id}`, { ...webhook, address, authorization })
      return response.statusCode === 200 ? 200 : response.json().code
    }
    const test = async () => {
      await admin.post(`/api/admin/webhooks/${webhook.id}/test`)
      const { url, headers } = received.at(-1)!
      return [url, headers.authorization]
    }
    expect(await change('http://127.0.0.1:1/hook', null)).toBe('webhook.authorization')
    expect(await change(origin.replace('http:', 'https:'), null)).toBe('webhook.authorization')
    expect(await test()).toEqual(['/hook', 'Bearer secret'])
    expect(await change(`${origin}/other`, null)).toBe(200)
    expect(await test()).toEqual(['/other', 'Bearer secret'])
    expect(await change('http://127.0.0.1:1/hook', 'Bearer new')).toBe(200)
    expect(await change(`${origin}/back`, '')).toBe(200)
    expect(await test()).toEqual(['/back', undefined])
  })

  test('a webhook signs with both keys for one day after a renewal of its key', async () => {
    const { webhook, signingKey } = await aWebhook()
    const renewed = (await admin.post(`/api/admin/webhooks/${webhook.id}/key`)).json()
    expect(renewed.signingKey).not.toBe(signingKey)
    const signatures = async () => {
      await admin.post(`/api/admin/webhooks/${webhook.id}/test`)
      return String(received.at(-1)?.headers['webhook-signature']).split(' ').length
    }
    expect(await signatures()).toBe(2)
    context.clock.advanceMs(24 * 3_600_000)
    expect(await signatures()).toBe(1)
  })

  test('each message to a Matrix server is sent to a separate URL', async () => {
    const { webhook } = await aWebhook({ service: 'Matrix', address: `${origin}/send/m.room.message` })
    await admin.post(`/api/admin/webhooks/${webhook.id}/test`)
    const [{ method, url, headers }] = received as [Received]
    expect([method, url]).toEqual(['PUT', `/send/m.room.message/${headers['webhook-id']}`])
  })

  test('a preview of the template uses an invented event', async () => {
    const input = { service: 'Slack', kind: 'FirstBlood', language: 'en-US', template: '{"text":"{message}"}' }
    const { body } = (await admin.post('/api/admin/webhooks/preview', input)).json()
    expect(JSON.parse(body)).toEqual({ text: 'First blood in Example CTF: Example team solved Example challenge' })
    const bad = await admin.post('/api/admin/webhooks/preview', { ...input, template: '{' })
    expect([bad.statusCode, bad.json().code]).toEqual([400, 'webhook.template'])
  })
})
