import { Limits } from '@capstan/contract/limits'
import type { Ticket } from '@capstan/contract/tickets'
import { proxyConnections } from '@capstan/db/schema/instances'
import { tickets } from '@capstan/db/schema/tickets'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anInstance, aSubmission } from '../../testing/organizing-factories.ts'
import { deliverQueuedMails } from '../../testing/people-factories.ts'
import { aPlayer, aTeamMate } from '../../testing/playing-factories.ts'

let context: TestApp
let monitor: TestClient
let monitorId: string
let monitorName: string
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://ctf.example.org' } })
  const { client, user } = await signInAsNewUser(context, 'Monitor')
  monitor = client
  monitorId = user.id
  monitorName = user.userName
})
afterAll(() => context.close())

function outcome(response: { statusCode: number; body: string }) {
  return [response.statusCode, JSON.parse(response.body).code]
}

async function aStage() {
  const game = await aGame(context.db, { title: 'Autumn Cup' })
  const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Knots', type: 'StaticContainer' })
  const [player, rival] = [await aPlayer(context, { gameId: game.id }), await aPlayer(context, { gameId: game.id })]
  const mate = await aTeamMate(context, player)
  const [path, desk] = [`/api/game/${game.id}/tickets`, `/api/game/${game.id}/monitor/tickets`]
  const open = (body: object = {}, client = player.client) => client.post(path, { subject: 'Help', text: 'It is slow.', ...body })
  const list = async (client: TestClient) => (await client.get(path)).json()
  const queue = async (view = 'open') => (await monitor.get(`${desk}?view=${view}`)).json()
  /** Moves the times of all messages back by ten minutes, because the number of messages per minute is limited. */
  const age = () => context.sql`update ticket_messages set sent_at = sent_at - interval '10 minutes'`
  return { game, challenge, player, rival, mate, path, desk, open, list, queue, age }
}

describe('tickets of teams', () => {
  test('a ticket can be read by all members of the team and by organizers, and by no other team', async () => {
    const { challenge, player, rival, mate, path, desk, open, list } = await aStage()
    const ticket = (await open({ challengeId: challenge.id, subject: '  Help ', text: ' It is slow. ' })).json()
    expect(ticket).toEqual({
      ...{ id: expect.any(String), subject: 'Help', challengeId: challenge.id, challengeTitle: 'Knots', isClosed: false },
      ...{ openedAt: context.clock.now().getTime(), updatedAt: context.clock.now().getTime(), isUnread: false },
    })
    for (const { client } of [player, mate]) expect(await list(client)).toEqual([ticket])
    const message = { author: player.user.userName, isFromTeam: true, text: 'It is slow.', sentAt: ticket.openedAt }
    expect((await mate.client.get(`${path}/${ticket.id}`)).json()).toEqual({ ticket, messages: [message] })
    expect((await monitor.get(`${desk}/${ticket.id}`)).json()).toMatchObject({
      ticket: { team: player.team.name, author: player.user.userName, assignee: null, isWaiting: true, isUnread: true },
      messages: [message],
    })
    expect(await list(rival.client)).toEqual([])
    const calls = [
      rival.client.get(`${path}/${ticket.id}`),
      rival.client.post(`${path}/${ticket.id}/messages`, { text: 'Mine' }),
      rival.client.put(`${path}/${ticket.id}`, { isClosed: true }),
      rival.client.post(`${path}/${ticket.id}/read`),
    ]
    for (const answer of await Promise.all(calls)) expect(outcome(answer)).toEqual([404, 'ticket.unknown'])
  })

  test('a new ticket is announced to the team and to organizers, without the text of the message', async () => {
    const { game, player, mate, open } = await aStage()
    await open()
    const announced = () =>
      context.messages.flatMap((message) =>
        message.kind === 'ticket' && message.gameId === game.id ? [{ ...message, userIds: [...message.userIds].sort() }] : [],
      )
    const userIds = [player.user.id, mate.user.id].sort()
    await expect.poll(announced, { timeout: 60_000 }).toEqual([{ kind: 'ticket', gameId: game.id, userIds }])
  })

  test('after an answer, a ticket is unread for each member until that member has read it', async () => {
    const { player, mate, path, desk, open, list } = await aStage()
    const { id } = (await open()).json()
    const answered: Ticket = (await monitor.post(`${desk}/${id}/messages`, { text: 'Please restart it.' })).json()
    expect(answered).toMatchObject({ assignee: { id: monitorId, name: monitorName }, isWaiting: false, isUnread: false })
    const unread = async () => [(await list(player.client))[0].isUnread, (await list(mate.client))[0].isUnread]
    expect(await unread()).toEqual([true, true])
    await mate.client.post(`${path}/${id}/read`)
    expect(await unread()).toEqual([true, false])
    // Players do not see which organizer answered.
    const { messages } = (await player.client.get(`${path}/${id}`)).json()
    expect(messages[1]).toMatchObject({ author: null, isFromTeam: false, text: 'Please restart it.' })
    expect((await monitor.get(`${desk}/${id}`)).json().messages[1].author).toBe(monitorName)
  })

  test('the team and organizers can close and reopen a ticket, and a message of the team reopens it', async () => {
    const { player, path, desk, open, queue } = await aStage()
    const { id } = (await open()).json()
    await monitor.post(`${desk}/${id}/messages`, { text: 'Done.', isClosed: true })
    expect((await queue()).counts).toEqual({ open: 0, unassigned: 0, mine: 0, closed: 1, all: 1 })
    expect((await queue('closed')).data).toMatchObject([{ id, isClosed: true }])
    await player.client.post(`${path}/${id}/messages`, { text: 'It is still slow.' })
    expect((await queue()).data).toMatchObject([{ id, isClosed: false, isWaiting: true }])
    expect((await player.client.put(`${path}/${id}`, { isClosed: true })).json()).toMatchObject({ isClosed: true })
    expect((await monitor.put(`${desk}/${id}`, { isClosed: false })).json()).toMatchObject({ isClosed: false })
  })

  test('a ticket can be assigned only to organizers, and is listed in the view of the assignee', async () => {
    const { player, desk, open, queue } = await aStage()
    const { id } = (await open()).json()
    expect((await queue('unassigned')).data).toHaveLength(1)
    expect(outcome(await monitor.put(`${desk}/${id}`, { assigneeId: player.user.id }))).toEqual([400, 'ticket.assignee'])
    await monitor.put(`${desk}/${id}`, { assigneeId: monitorId })
    expect((await queue('mine')).data).toMatchObject([{ id }])
    expect((await queue('unassigned')).data).toEqual([])
    await monitor.put(`${desk}/${id}`, { assigneeId: null })
    expect((await queue('mine')).data).toEqual([])
    expect((await queue()).organizers).toContainEqual({ id: monitorId, name: monitorName })
  })

  test('a ticket can be merged only into another ticket of the same team, with all messages in order', async () => {
    const { rival, player, path, desk, open, queue } = await aStage()
    const [first, second] = [(await open()).json(), (await open({ subject: 'Again', text: 'Still slow.' })).json()]
    const other = (await open({}, rival.client)).json()
    const merge = (id: string, into: string) => monitor.post(`${desk}/${id}/merge`, { into })
    expect(outcome(await merge(second.id, other.id))).toEqual([400, 'ticket.other-team'])
    expect(outcome(await merge(second.id, second.id))).toEqual([400, 'ticket.itself'])
    expect((await merge(second.id, first.id)).json()).toMatchObject({ id: first.id })
    const { messages } = (await player.client.get(`${path}/${first.id}`)).json()
    expect(messages.map(({ text }: { text: string }) => text)).toEqual(['It is slow.', 'Again\n\nStill slow.'])
    expect(outcome(await player.client.get(`${path}/${second.id}`))).toEqual([404, 'ticket.unknown'])
    expect((await queue()).counts.open).toBe(2)
  })

  test.each(['member', 'organizer'] as const)('a %s can mark a ticket as read while a merge deletes it', async (reader) => {
    const { player, path, desk, open } = await aStage()
    const { id } = (await open()).json()
    const read = () => (reader === 'member' ? player.client.post(`${path}/${id}/read`) : monitor.post(`${desk}/${id}/read`))
    const isWaiting = async () =>
      (await context.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length > 0
    let reading: ReturnType<typeof read> | undefined
    let hasEnded = false
    await context.db.transaction(async (transaction) => {
      await transaction.delete(tickets).where(eq(tickets.id, id))
      reading = read()
      void reading.finally(() => {
        hasEnded = true
      })
      await expect.poll(async () => hasEnded || (await isWaiting())).toBe(true)
    })
    expect((await reading)?.statusCode).toBe(200)
  })

  test('organizers see the instances, connections and attempts of the team if the ticket is about a challenge', async () => {
    const { game, challenge, player, rival, desk, open } = await aStage()
    const { participation } = player
    const common = { gameId: game.id, challengeId: challenge.id }
    const failed = await anInstance(context.db, {
      ...{ ...common, participationId: participation.id, endedAt: context.clock.now() },
      ...{ reason: 'It needs too much memory.', reasonCode: 'OutOfMemory' },
    })
    await anInstance(context.db, { ...common, participationId: rival.participation.id })
    const connection = { id: crypto.randomUUID(), instanceId: failed!.id, clientAddress: '203.0.113.9' }
    await context.db.insert(proxyConnections).values({ ...connection, openedAt: context.clock.now(), way: 'http' })
    await aSubmission(context.db, participation, challenge.id, { answer: 'flag{wrong}' })
    await aSubmission(context.db, rival.participation, challenge.id, { answer: 'flag{rival}' })
    const { id } = (await open({ challengeId: challenge.id })).json()
    expect((await monitor.get(`${desk}/${id}`)).json().facts).toMatchObject({
      instances: [{ id: failed!.id, reasonCode: 'OutOfMemory', endedAt: context.clock.now().getTime() }],
      connections: [{ clientAddress: '203.0.113.9' }],
      attempts: [{ answer: 'flag{wrong}' }],
    })
    const general = (await open()).json()
    expect((await monitor.get(`${desk}/${general.id}`)).json().facts).toBeNull()
  })

  test('a ticket about a challenge that the team does not see is refused like a ticket about an unknown challenge', async () => {
    const { game, open } = await aStage()
    const hidden = await aChallenge(context.db, { gameId: game.id, isEnabled: false })
    const elsewhere = await aChallenge(context.db, { gameId: (await aGame(context.db)).id })
    for (const challengeId of [hidden.id, elsewhere.id, 2_000_000_000])
      expect(outcome(await open({ challengeId }))).toEqual([404, 'challenge.unknown'])
  })

  test.each(['Pending', 'Suspended'] as const)(
    'a team with the status %s can open a ticket without a challenge',
    async (status) => {
      const { game, path } = await aStage()
      const { client } = await aPlayer(context, { gameId: game.id, status })
      expect((await client.post(path, { subject: 'Help', text: 'Why?' })).statusCode).toBe(200)
    },
  )

  test('a ticket of a rejected team is refused', async () => {
    const { game, path } = await aStage()
    const { client } = await aPlayer(context, { gameId: game.id, status: 'Rejected' })
    expect(outcome(await client.post(path, { subject: 'Help', text: 'Why?' }))).toEqual([400, 'participation.required'])
  })

  test.each([
    ['with a blank subject', { subject: '  ' }],
    ['with a blank text', { text: ' \n ' }],
    ['with a long subject', { subject: 'x'.repeat(Limits.maxTicketSubjectLength + 1) }],
    ['with a long text', { text: 'x'.repeat(Limits.maxTicketTextLength + 1) }],
  ])('a ticket %s is refused', async (_what, body) => {
    const { open } = await aStage()
    expect(outcome(await open(body))).toEqual([400, 'request.invalid'])
  })
})

describe('queue of tickets for organizers', () => {
  test('the queue of tickets has complete pages of 100 tickets', async () => {
    const { game, player, desk } = await aStage()
    await context.sql`
      insert into tickets (game_id, participation_id, subject, language, opened_at, updated_at)
      select ${game.id}, ${player.participation.id}, 'Question ' || n, 'en-US', now(), now() - n * interval '1 minute'
      from generate_series(1, 250) n`
    const page = async (skip: number) => (await monitor.get(`${desk}?skip=${skip}`)).json()
    const pages = [await page(0), await page(100), await page(200), await page(300)]
    expect(pages.map(({ data, total }) => [data.length, total])).toEqual([100, 100, 50, 0].map((length) => [length, 250]))
    const subjects = pages.flatMap(({ data }) => data.map(({ subject }: Ticket) => subject))
    expect(subjects).toEqual(Array.from({ length: 250 }, (_, index) => `Question ${index + 1}`))
  })

  test('tickets can be searched by the words of all their texts, and filtered by team, challenge and time', async () => {
    const { challenge, player, rival, desk, open, age } = await aStage()
    const first = (await open({ subject: 'Rope 100%', challengeId: challenge.id })).json()
    const second = (await open({ subject: 'Lost', text: 'The anchor is missing.' }, rival.client)).json()
    await monitor.post(`${desk}/${second.id}/messages`, { text: 'Look below the keel.', isClosed: true })
    await age()
    const ids = async (query: Readonly<Record<string, string>>) => {
      const page = (await monitor.get(`${desk}?${new URLSearchParams({ view: 'all', ...query })}`)).json()
      expect(page.total).toBe(page.data.length)
      return page.data.map(({ id }: Ticket) => id)
    }
    expect(await ids({})).toEqual([first.id, second.id])
    expect(await ids({ hint: 'rope' })).toEqual([first.id])
    expect(await ids({ hint: '100%' })).toEqual([first.id])
    expect(await ids({ hint: 'knots' })).toEqual([first.id])
    expect(await ids({ hint: 'KEEL anchor' })).toEqual([second.id])
    expect(await ids({ hint: `keel ${player.team.name}` })).toEqual([])
    expect(await ids({ hint: 'keel', view: 'open' })).toEqual([])
    expect(await ids({ team: String(rival.team.id) })).toEqual([second.id])
    expect(await ids({ challenge: String(challenge.id) })).toEqual([first.id])
    expect(await ids({ until: new Date(first.updatedAt - 1).toISOString() })).toEqual([])
    const { counts } = (await monitor.get(`${desk}?hint=keel`)).json()
    expect(counts).toEqual({ open: 0, unassigned: 0, mine: 0, closed: 1, all: 1 })
  })
})

describe('unread tickets', () => {
  test('the number of unread tickets is separate for each member of a team and for each organizer', async () => {
    const { player, mate, rival, path, desk, open } = await aStage()
    const other = (await signInAsNewUser(context, 'Monitor')).client
    const numbers = async () => {
      const calls = [player, mate, rival].map(({ client }) => client.get(`${path}/unread`))
      const answers = await Promise.all([...calls, ...[monitor, other].map((client) => client.get(`${desk}/unread`))])
      return answers.map((answer) => answer.json().count)
    }
    const [{ id }] = [(await open()).json(), (await open({ subject: 'Again' })).json()]
    expect(await numbers()).toEqual([0, 0, 0, 2, 2])
    await other.post(`${desk}/${id}/read`)
    expect(await numbers()).toEqual([0, 0, 0, 2, 1])
    await monitor.post(`${desk}/${id}/messages`, { text: 'Done.', isClosed: true })
    expect(await numbers()).toEqual([1, 1, 0, 1, 1])
    await mate.client.post(`${path}/${id}/read`)
    expect(await numbers()).toEqual([1, 0, 0, 1, 1])
  })
})

describe('limits of a team', () => {
  test('a team must wait if it writes too much within a minute, even through concurrent calls of its members', async () => {
    const { mate, player, open } = await aStage()
    const clients = Array.from({ length: 16 }, (_, index) => (index % 2 ? mate.client : player.client))
    const answers = await Promise.all(clients.map((client) => open({}, client)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(Limits.ticketMessagesPerMinute)
    const refused = answers.find(({ statusCode }) => statusCode !== 200)!
    expect(outcome(refused)).toEqual([429, 'ticket.too-fast'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('a team cannot exceed the limit of open tickets, and can open a new ticket after it has closed one', async () => {
    const { player, path, open, age } = await aStage()
    const ids: string[] = []
    for (let index = 0; index < Limits.maxOpenTickets; index += 1) {
      ids.push((await open()).json().id)
      await age()
    }
    expect(outcome(await open())).toEqual([400, 'ticket.too-many-open'])
    await player.client.put(`${path}/${ids[0]}`, { isClosed: true })
    expect((await open()).statusCode).toBe(200)
    await age()
    expect(outcome(await player.client.post(`${path}/${ids[0]}/messages`, { text: 'Again' }))).toEqual([
      400,
      'ticket.too-many-open',
    ])
  })
})

test('a team cannot exceed the total length of its messages in a ticket', async () => {
  const { player, path, open, age } = await aStage()
  const ticket = (await open({ text: 'x' })).json()
  await context.sql`update ticket_messages set text = ${'😀'.repeat(Limits.maxTicketThreadLength - 4)} where ticket_id = ${ticket.id}`
  await age()
  const reply = (text: string) => player.client.post(`${path}/${ticket.id}/messages`, { text })
  expect(outcome(await reply('😀😀😀😀😀'))).toEqual([400, 'ticket.full'])
  expect((await reply('😀😀😀😀')).statusCode).toBe(200)
})

describe('limits of a user', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await startTestApp({ config: { rateLimits: true } })
  })
  afterAll(() => limited.close())

  async function aCaptain() {
    const game = await aGame(limited.db, { acceptWithoutReview: false })
    const { client, user } = await signInAsNewUser(limited)
    const team = await aTeam(limited.db, { captainId: user.id })
    const [address, path] = [`/api/game/${game.id}`, `/api/game/${game.id}/tickets`]
    const join = async () => expect((await client.post(address, { teamId: team.id })).statusCode).toBe(200)
    const leave = async () => expect((await client.delete(address)).statusCode).toBe(200)
    return { client, path, join, leave, open: () => client.post(path, { subject: 'Help', text: 'It is slow.' }) }
  }

  test('a user who leaves a game and joins it again cannot exceed the limit of messages per minute', async () => {
    const { join, leave, open } = await aCaptain()
    for (let round = 0; round < 2; round += 1) {
      await join()
      for (let message = 0; message < Limits.ticketMessagesPerMinute / 2; message += 1)
        expect((await open()).statusCode).toBe(200)
      await leave()
    }
    await join()
    expect(outcome(await open())).toEqual([429, 'request.rate-limited'])
    limited.clock.advanceMs(60_000)
    expect((await open()).statusCode).toBe(200)
  })

  test('a user can close and reopen tickets 20 times a minute', async () => {
    const { client, path, join, open } = await aCaptain()
    await join()
    const { id } = (await open()).json()
    const close = (isClosed: boolean) => client.put(`${path}/${id}`, { isClosed })
    for (let call = 0; call < 20; call += 1) expect((await close(call % 2 === 0)).statusCode).toBe(200)
    expect(outcome(await close(true))).toEqual([429, 'request.rate-limited'])
  })
})

describe('mails about answers', () => {
  test('answers cause only one mail until the author reads the ticket', async () => {
    const { player, path, desk, open } = await aStage()
    await context.sql`update users set email_confirmed = true where id = ${player.user.id}`
    const { id } = (await open({ subject: 'Slow <b>' })).json()
    await deliverQueuedMails(context)
    await monitor.post(`${desk}/${id}/messages`, { text: 'Please restart it.' })
    await monitor.post(`${desk}/${id}/messages`, { text: 'And wait.' })
    const mails = await deliverQueuedMails(context)
    expect(mails).toMatchObject([{ recipient: player.user.email }])
    expect(mails[0]!.text).toContain(`http://ctf.example.org${path.replace('/api/game/', '/games/')}/${id}`)
    expect(mails[0]!.text).not.toContain('restart')
    expect(mails[0]!.html).toContain('Slow &lt;b&gt;')
    await player.client.post(`${path}/${id}/read`)
    await monitor.post(`${desk}/${id}/messages`, { text: 'Better?' })
    expect(await deliverQueuedMails(context)).toHaveLength(1)
  })
})

describe('canned answers', () => {
  test('monitors can add, change and delete a canned answer', async () => {
    const path = '/api/canned-answers'
    const added = (await monitor.post(path, { title: ' Restart ', text: ' Please restart it. ' })).json()
    expect(added).toEqual({ id: expect.any(Number), title: 'Restart', text: 'Please restart it.' })
    const changed = (await monitor.put(`${path}/${added.id}`, { title: 'Again', text: 'Please wait.' })).json()
    expect((await monitor.get(path)).json()).toEqual([changed])
    await monitor.delete(`${path}/${added.id}`)
    expect((await monitor.get(path)).json()).toEqual([])
    expect(outcome(await monitor.delete(`${path}/${added.id}`))).toEqual([404, 'canned-answer.unknown'])
  })
})
