import { solves } from '@capstan/db/schema/challenges'
import { games } from '@capstan/db/schema/games'
import { files } from '@capstan/db/schema/platform'
import { eq, sql } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { aTeam, signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anInstance, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

let statements: string[] = []
let context: TestApp
let admin: TestClient
let visitor: TestClient
beforeAll(async () => {
  context = await startTestApp({ observe: (text) => void statements.push(text) })
  admin = (await signInAsNewUser(context, 'Admin')).client
  visitor = createTestClient(context.app)
})
afterAll(() => context.close())

const times = { start: '2031-01-01T00:00:00Z', end: '2031-01-02T00:00:00Z' }
async function create(body: Record<string, unknown> = {}) {
  return (await admin.post('/api/edit/games', { title: 'Quals', ...times, ...body })).json()
}

test('the list of games is read without the page texts, which can be long', async () => {
  const { id } = await aGame(context.db, { startsAt: new Date('2035-01-01T00:00:00Z'), endsAt: new Date('2035-01-02T00:00:00Z') })
  statements = []
  const list: { id: number }[] = (await visitor.get('/api/game')).json()
  expect(list.map((game) => game.id)).toContain(id)
  expect(statements.filter((text) => text.includes('"games"'))).toEqual([expect.not.stringContaining('"content"')])
  await context.db.delete(games).where(eq(games.id, id))
})

test("the caller's list has only games that accepted the team and are neither over nor hidden", async () => {
  const { user, client } = await signInAsNewUser(context)
  const team = await aTeam(context.db, { captainId: user.id })
  const plays = async (values: Parameters<typeof aGame>[1], status: 'Accepted' | 'Pending' = 'Accepted') => {
    const game = await aGame(context.db, values)
    await aParticipation(context.db, { gameId: game.id, teamId: team.id, memberIds: [user.id], status })
    return game.id
  }
  const [running, coming] = [await plays({}), await plays({ startsAt: new Date('2039-01-01'), endsAt: new Date('2039-01-02') })]
  await plays({}, 'Pending')
  await plays({ hidden: true })
  await plays({ startsAt: new Date('2021-01-01'), endsAt: new Date('2021-01-02') })
  expect((await client.get('/api/game/own')).json().toSorted()).toEqual([running, coming].toSorted())
  expect((await (await signInAsNewUser(context)).client.get('/api/game/own')).json()).toEqual([])
  expect((await visitor.get('/api/game/own')).json()).toEqual([])
})

describe('the game list', () => {
  test('shows the ten games with the latest start, and no hidden games', async () => {
    for (let day = 1; day <= 12; day += 1)
      await aGame(context.db, {
        title: `day ${day}`,
        hidden: day === 12,
        startsAt: new Date(Date.UTC(2040, 0, day)),
        endsAt: new Date(Date.UTC(2040, 0, day + 1)),
      })
    const list = (await visitor.get('/api/game')).json()
    expect(list.map(({ title }: { title: string }) => title)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((day) => `day ${day}`))
    expect(list[0]).toEqual({
      id: expect.any(Number),
      title: 'day 11',
      summary: '',
      poster: null,
      limit: 0,
      start: '2040-01-11T00:00:00.000Z',
      end: '2040-01-12T00:00:00.000Z',
    })
  })

  test('of all games contains a running game although ten games start later, but no hidden game', async () => {
    const { id } = await aGame(context.db, { title: 'now' })
    const list: { id: number; title: string }[] = (await visitor.get('/api/game/all')).json()
    const titles = list.map(({ title }) => title)
    expect(titles.slice(0, 11)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((day) => `day ${day}`))
    expect(list.map((game) => game.id)).toContain(id)
    expect(titles).not.toContain('day 12')
  })

  test('answers 304 to a client that has the current list, and 200 after a change', async () => {
    const etag = String((await visitor.get('/api/game')).headers.etag)
    const again = () => visitor.inject({ url: '/api/game', headers: { 'if-none-match': etag } })
    const unchanged = await again()
    expect([unchanged.statusCode, unchanged.body]).toEqual([304, ''])
    await aGame(context.db, { startsAt: new Date(Date.UTC(2041, 0, 1)), endsAt: new Date(Date.UTC(2041, 0, 2)) })
    expect((await again()).statusCode).toBe(200)
  })
})

test('finds games by title or id and sorts them by any column', async () => {
  const at = (day: number) => new Date(Date.UTC(2050, 0, day))
  const [late, early, hidden] = [
    await aGame(context.db, { title: 'ordered b', startsAt: at(8), endsAt: at(9) }),
    await aGame(context.db, { title: 'Ordered A', startsAt: at(1), endsAt: at(20) }),
    await aGame(context.db, { title: 'ordered 100%', hidden: true, startsAt: at(4), endsAt: at(5) }),
  ]
  const names = new Map([
    [late.id, 'late'],
    [early.id, 'early'],
    [hidden.id, 'hidden'],
  ])
  const find = async (query: string) => {
    const { data, total } = (await admin.get(`/api/admin/games/list?${query}`)).json()
    return [total, ...data.map(({ id }: { id: number }) => names.get(id))]
  }
  expect(await find('hint=ordered')).toEqual([3, 'hidden', 'early', 'late'])
  expect(await find('hint=ordered&sort=title&descending=false')).toEqual([3, 'hidden', 'early', 'late'])
  expect(await find('hint=ordered&sort=title')).toEqual([3, 'late', 'early', 'hidden'])
  expect(await find('hint=ordered&sort=start')).toEqual([3, 'late', 'hidden', 'early'])
  expect(await find('hint=ordered&sort=end')).toEqual([3, 'early', 'late', 'hidden'])
  expect(await find('hint=ordered&sort=hidden&count=1')).toEqual([3, 'hidden'])
  expect(await find('hint=100%25')).toEqual([1, 'hidden'])
  expect(await find(`hint=${early.id}`)).toContain('early')
  for (const query of ['sort=publicKey', 'descending=often', 'hint=', 'skip=-1'])
    expect((await admin.get(`/api/admin/games/list?${query}`)).statusCode).toBe(400)
})

describe('the game page', () => {
  test('shows a hidden game to anyone who knows its id, with the requirements of its divisions', async () => {
    const game = await aGame(context.db, {
      hidden: true,
      inviteCode: 'let me in',
      teamMemberCountLimit: 4,
      divisions: [{ name: 'students', inviteCode: 'secret1' }, { name: 'open' }],
    })
    const page = await visitor.get(`/api/game/${game.id}`)
    expect(page.json()).toMatchObject({
      hidden: true,
      organizations: ['students', 'open'],
      organizationCodesRequired: ['students'],
      inviteCodeRequired: true,
      limit: 4,
      teamCount: 0,
      organization: null,
      teamName: null,
      status: 'Unsubmitted',
    })
    expect(page.body).not.toContain('secret1')
    expect(page.body).not.toContain('let me in')
  })

  test("shows the caller's team, division and status", async () => {
    const { user, client } = await signInAsNewUser(context)
    const team = await aTeam(context.db, { captainId: user.id, name: 'Rooks' })
    const game = await aGame(context.db)
    await aParticipation(context.db, { gameId: game.id, teamId: team.id, status: 'Suspended', division: 'open' })
    await aParticipation(context.db, { gameId: game.id, status: 'Rejected' })
    expect((await client.get(`/api/game/${game.id}`)).json()).toMatchObject({
      teamName: 'Rooks',
      organization: 'open',
      status: 'Suspended',
      teamCount: 2,
    })
  })

  test('answers 404 for an unknown game', async () => {
    expect((await visitor.get('/api/game/999999')).json()).toMatchObject({ status: 404, code: 'game.unknown' })
    expect((await visitor.get('/api/game/0')).statusCode).toBe(400)
  })
})

describe('creating a game', () => {
  test('returns the game with defaults and a 32-byte public key, and never the private key', async () => {
    const response = await admin.post('/api/edit/games', { title: 'Quals', ...times })
    const game = response.json()
    expect(response.statusCode).toBe(200)
    expect(game).toMatchObject({
      title: 'Quals',
      hidden: false,
      practiceMode: true,
      containerCountLimit: 3,
      teamMemberCountLimit: 0,
      organizations: null,
      organizationCodes: {},
      inviteCode: null,
      poster: null,
      bloodBonus: 52459530,
      bloodPoints: null,
      writeupDeadline: context.clock.now().toISOString(),
    })
    expect(Buffer.from(game.publicKey, 'base64')).toHaveLength(32)
    const [row] = await context.db.select().from(games).where(eq(games.id, game.id))
    expect(response.body).not.toContain(row!.privateKey)
  })

  test.each([
    ['without a title', { title: '  ' }, 'request.invalid'],
    ['without a start', { start: undefined }, 'request.invalid'],
    ['that ends before it starts', { end: '2030-12-31T00:00:00Z' }, 'game.times'],
    ['in the year 0', { start: '0000-01-01T00:00:00Z' }, 'game.times'],
    ['with equal divisions', { organizations: ['a', ' a'] }, 'game.divisions'],
    ['with a division named all', { organizations: ['all'] }, 'game.divisions'],
    ['with a division code of mostly blanks', { organizations: { a: '  ab  ' } }, 'game.division-code'],
    ['with a short division code', { organizations: { a: '12345' } }, 'request.invalid'],
    ['with a negative limit', { teamMemberCountLimit: -1 }, 'request.invalid'],
  ])('refuses %s', async (_what, body, code) => {
    const response = await admin.post('/api/edit/games', { title: 'Quals', ...times, ...body })
    expect([response.statusCode, response.json().code]).toEqual([400, code])
  })
})

describe('editing a game', () => {
  test('an edit replaces every setting, and the game retains its key', async () => {
    const game = await create({ hidden: true, summary: 'old', inviteCode: 'code', organizations: { a: 'secret1', b: null } })
    const response = await admin.put(`/api/edit/games/${game.id}`, { title: 'New', ...times, organizations: ['b', 'a'] })
    expect(response.json()).toMatchObject({
      title: 'New',
      hidden: false,
      summary: '',
      inviteCode: null,
      organizations: ['b', 'a'],
      organizationCodes: { a: 'secret1', b: null },
      publicKey: game.publicKey,
    })
    expect((await admin.get(`/api/edit/games/${game.id}`)).json()).toEqual(response.json())
  })

  test('an edit retains `bloodPoints` if the field is absent, and removes `bloodPoints` if the field is null', async () => {
    const bloodPoints = { first: 100, second: 50, third: 25 }
    const { bloodPoints: _, ...known } = await create({ bloodPoints })
    const put = async (body: object) => (await admin.put(`/api/edit/games/${known.id}`, body)).json()
    expect((await put({ ...known, bloodBonus: 0 })).bloodPoints).toEqual(bloodPoints)
    expect((await put({ ...known, bloodPoints: null })).bloodPoints).toBeNull()
    expect((await put({ ...known, bloodPoints: { ...bloodPoints, first: -1 } })).code).toBe('request.invalid')
  })

  test('an edit changes nothing if a client sends the received settings back', async () => {
    const game = await create({ organizations: { a: 'secret1' }, summary: 's', bloodBonus: 0 })
    expect((await admin.put(`/api/edit/games/${game.id}`, game)).json()).toEqual(game)
  })

  test('after the end of a game changes, right answers before the new end count as solves', async () => {
    const hour = 3600_000
    const game = await aGame(context.db, { phase: 'ended', practiceMode: true })
    // The value is 1000 with one solver and 683 with two: 1000 x (0.5 + 0.5 / e).
    const value = { points: 1000, minimumShare: 0.5, decay: 1 }
    const challenge = await aChallenge(context.db, { gameId: game.id, acceptedCount: 1, ...value })
    const disabled = await aChallenge(context.db, { gameId: game.id, isEnabled: false })
    const [early, late, suspended] = [
      await aParticipation(context.db, { gameId: game.id }),
      await aParticipation(context.db, { gameId: game.id }),
      await aParticipation(context.db, { gameId: game.id, status: 'Suspended' }),
    ]
    const at = (hours: number) => new Date(game.endsAt.getTime() + hours * hour)
    const accepted = { status: 'Accepted', submittedAt: at(0.25) } as const
    const first = await aSubmission(context.db, early, challenge.id, { solve: true, submittedAt: at(-1) })
    await aSubmission(context.db, early, challenge.id, accepted)
    await aSubmission(context.db, late, challenge.id, { submittedAt: at(0.1) })
    const { user } = await signInAsNewUser(context)
    const practised = await aSubmission(context.db, late, challenge.id, { ...accepted, userId: user.id })
    await aSubmission(context.db, late, challenge.id, { ...accepted, submittedAt: at(0.3) })
    const atEnd = await aSubmission(context.db, late, disabled.id, { ...accepted, submittedAt: at(0.5) })
    const hidden = await aSubmission(context.db, suspended, challenge.id, accepted)

    const url = `/api/edit/games/${game.id}`
    const settings = (await admin.get(url)).json()
    const solved = () => context.db.select().from(solves).where(eq(solves.gameId, game.id)).orderBy(solves.submissionId)
    const moveEnd = async (end: Date) => {
      expect((await admin.put(url, { ...settings, end: end.toISOString() })).statusCode).toBe(200)
      const list = (await admin.get(`${url}/challenges`)).json()
      const { score } = list.find(({ id }: { id: number }) => id === challenge.id)
      const { acceptedCount } = (await admin.get(`${url}/challenges/${challenge.id}`)).json()
      return { solves: (await solved()).map(({ submissionId }) => submissionId), score, acceptedCount }
    }
    const onBoard = async () => {
      const { items } = (await visitor.get(`/api/game/${game.id}/scoreboard`)).json()
      return items.map(({ solvedCount }: { solvedCount: number }) => solvedCount).sort()
    }
    const expectOnBoard = (counts: number[]) => expect.poll(onBoard).toEqual(counts)
    const ids = (...rows: { id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b)
    expect(await onBoard()).toEqual([0, 1])
    expect(await moveEnd(at(0.5))).toEqual({ solves: ids(first, practised, hidden), score: 683, acceptedCount: 2 })
    await expectOnBoard([1, 1])
    expect((await solved()).find(({ submissionId }) => submissionId === practised.id)).toMatchObject({
      ...{ participationId: late.id, userId: user.id, solvedAt: practised.submittedAt },
    })
    expect((await moveEnd(at(0.6))).solves).toEqual(ids(first, practised, hidden, atEnd))
    expect(await moveEnd(at(0.25))).toEqual({ solves: [first.id], score: 1000, acceptedCount: 1 })
    await expectOnBoard([0, 1])
    expect(await moveEnd(at(-1))).toEqual({ solves: [], score: 1000, acceptedCount: 0 })
    await expectOnBoard([0, 0])
    expect((await moveEnd(at(0.5))).solves).toEqual(ids(first, practised, hidden))
  })

  test('an edit is refused for an unknown game, and for settings that are invalid in a new game', async () => {
    const game = await create()
    const bad = await admin.put(`/api/edit/games/${game.id}`, { title: 'x', start: times.end, end: times.start })
    expect(bad.json().code).toBe('game.times')
    expect((await admin.put('/api/edit/games/999999', { title: 'x', ...times })).json().code).toBe('game.unknown')
    expect((await admin.get('/api/edit/games/999999')).json().code).toBe('game.unknown')
  })

  test('lists games by descending id in pages', async () => {
    const first = await create()
    const second = await create()
    const page = (await admin.get('/api/edit/games?count=1')).json()
    expect([page.data[0].id, page.length]).toEqual([second.id, 1])
    const next = (await admin.get('/api/edit/games?count=1&skip=1')).json()
    expect([next.data[0].id, next.total]).toEqual([first.id, page.total])
  })
})

describe('the poster', () => {
  const poster = (width: number) =>
    sharp({ create: { width, height: 10, channels: 3, background: 'blue' } })
      .png()
      .toBuffer()
  const put = async (id: number, content: Buffer) =>
    admin.upload('PUT', `/api/edit/games/${id}/poster`, [{ name: 'p.png', type: 'image/png', content }])

  test('a poster is stored and served as WebP, and the previous poster is deleted', async () => {
    const game = await create()
    const first = await put(game.id, await poster(31))
    expect(first.json()).toMatch(/^\/assets\/[0-9a-f]{64}\/poster\.webp$/)
    const { poster: url } = (await visitor.get(`/api/game/${game.id}`)).json()
    const served = await visitor.get(url)
    expect([served.statusCode, served.headers['content-type']]).toEqual([200, 'image/webp'])
    await put(game.id, await poster(32))
    expect((await visitor.get(url)).statusCode).toBe(404)
  })

  test('a poster remains stored if the same image is uploaded again', async () => {
    const game = await create()
    const bytes = await poster(33)
    await put(game.id, bytes)
    const second = await put(game.id, bytes)
    expect((await visitor.get(second.json())).statusCode).toBe(200)
  })

  test('a poster is refused if its file is missing, empty, too large or not a picture', async () => {
    const game = await create()
    expect((await put(game.id, Buffer.from('text'))).json().code).toBe('file.unreadable')
    expect((await put(game.id, Buffer.alloc(0))).json().code).toBe('file.missing')
    expect((await put(game.id, Buffer.alloc(3 * 1024 * 1024 + 1))).json().code).toBe('file.too-large')
    const wrongField = await admin.upload('PUT', `/api/edit/games/${game.id}/poster`, [
      { field: 'other', name: 'p.png', content: await poster(3) },
    ])
    expect(wrongField.json().code).toBe('file.missing')
    expect((await put(999_999, await poster(3))).json().code).toBe('game.unknown')
    expect((await admin.get(`/api/edit/games/${game.id}`)).json().poster).toBeNull()
  })
})

describe('deleting a game', () => {
  test('deleting a game deletes its challenges, files, participations and instances', async () => {
    const game = await create()
    const [{ hash }] = (
      await admin.upload('POST', '/api/assets', [{ field: 'files', name: 'a.zip', content: 'attachment of a deleted game' }])
    ).json()
    const challenge = (await admin.post(`/api/edit/games/${game.id}/challenges`, { title: 'c', type: 'StaticContainer' })).json()
    await admin.post(`/api/edit/games/${game.id}/challenges/${challenge.id}/attachment`, {
      attachmentType: 'Local',
      fileHash: hash,
    })
    const participation = await aParticipation(context.db, { gameId: game.id })
    await aSubmission(context.db, participation, challenge.id, { solve: true })
    const instance = await anInstance(context.db, {
      gameId: game.id,
      challengeId: challenge.id,
      participationId: participation.id,
    })
    expect((await admin.delete(`/api/edit/games/${game.id}`)).statusCode).toBe(200)
    expect((await visitor.get(`/api/game/${game.id}`)).statusCode).toBe(404)
    expect((await visitor.get(`/assets/${hash}/a.zip`)).statusCode).toBe(404)
    await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: instance.id })
    expect((await admin.delete(`/api/edit/games/${game.id}`)).json().code).toBe('game.unknown')
  })

  test('deleting a game removes its scoreboard, even if the scoreboard was shown before', async () => {
    const game = await aGame(context.db)
    const readBoard = async () => (await visitor.get(`/api/game/${game.id}/scoreboard`)).statusCode
    expect(await readBoard()).toBe(200)
    expect((await admin.delete(`/api/edit/games/${game.id}`)).statusCode).toBe(200)
    // The board is rebuilt in the background.
    await vi.waitFor(async () => expect(await readBoard()).toBe(404), { timeout: 120_000 })
  })

  test('deleting a game changes nothing if a step fails', async () => {
    const challenge = await aChallenge(context.db)
    await context.db.execute(sql`
      create function refuse_delete() returns trigger language plpgsql as $$ begin raise exception 'disk on fire'; end $$`)
    await context.db.execute(sql`
      create trigger refuse_delete before delete on challenges for each row execute function refuse_delete()`)
    const response = await admin.delete(`/api/edit/games/${challenge.gameId}`)
    await context.db.execute(sql`drop trigger refuse_delete on challenges`)
    expect([response.statusCode, response.json().code]).toEqual([400, 'game.delete-failed'])
    expect((await admin.get(`/api/edit/games/${challenge.gameId}/challenges`)).json()).toHaveLength(1)
  })
})

test('each game has a flag salt that never changes and that only admins can read', async () => {
  const [one, two] = [await create(), await create()]
  const salt = async (id: number) => (await admin.get(`/api/edit/games/${id}/hashsalt`)).json()
  expect(await salt(one.id)).toMatch(/^[0-9a-f]{64}$/)
  expect(await salt(one.id)).toBe(await salt(one.id))
  expect(await salt(one.id)).not.toBe(await salt(two.id))
  expect((await admin.get('/api/edit/games/999999/hashsalt')).statusCode).toBe(404)
})

test.each([
  ['a visitor', undefined, 401],
  ['a user', 'User', 403],
  ['a monitor', 'Monitor', 403],
  ['a banned admin', 'Banned', 403],
] as const)('refuses %s in every edit call', async (_who, role, status) => {
  const client = role ? (await signInAsNewUser(context, role)).client : visitor
  const { id } = await aGame(context.db)
  const answers = await Promise.all([
    client.get('/api/edit/games'),
    client.post('/api/edit/games', { title: 'x', ...times }),
    client.get(`/api/edit/games/${id}`),
    client.put(`/api/edit/games/${id}`, { title: 'x', ...times }),
    client.delete(`/api/edit/games/${id}`),
    client.upload('PUT', `/api/edit/games/${id}/poster`, [{ name: 'p', content: 'p' }]),
    client.get(`/api/edit/games/${id}/hashsalt`),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => status))
})

test('after all tests in this suite, no stored file has too many references', async () => {
  const unused = await context.db.select().from(files).where(eq(files.referenceCount, 0))
  expect(unused).toEqual([])
})
