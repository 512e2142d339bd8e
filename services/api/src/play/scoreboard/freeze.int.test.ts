import type { BoardChanges } from '@capstan/contract/board-changes'
import { boardVersionHeader } from '@capstan/contract/board-version'
import { allRights, divisionRights } from '@capstan/contract/division-rights'
import type { Scoreboard } from '@capstan/contract/scoreboard'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { createBoardMaker } from './board-maker.ts'
import { createScoreboardService } from './service.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())
beforeEach(() => context.clock.set(new Date()))

const poll = { timeout: 60_000 }

/**
 * Creates a game with three teams and the challenges Rope and Knot. The value of a challenge decreases with each solve. The freeze
 * begins now.
 */
async function aScene() {
  const { db, sql } = context
  const game = await aGame(db, { bloodBonus: 0 })
  const values = { gameId: game.id, points: 100, minimumShare: 0.1, decay: 1, flags: ['flag{right}'] }
  const [rope, knot] = [await aChallenge(db, { ...values, title: 'Rope' }), await aChallenge(db, { ...values, title: 'Knot' })]
  const ids = { gameId: game.id, challengeIds: [rope.id, knot.id] }
  const players = [await aPlayer(context, ids), await aPlayer(context, ids), await aPlayer(context, ids)] as const
  const solve = (player: (typeof players)[number], challenge: { id: number }, submittedAt: Date) =>
    aSubmission(db, player.participation, challenge.id, { solve: true, userId: player.user.id, submittedAt })
  await solve(players[0], rope, new Date(game.startsAt.getTime() + 60_000))
  const [frozen] = await sql<{ freeze: string }[]>`
    update games set freeze_at = date_trunc('milliseconds', clock_timestamp()) where id = ${game.id} returning freeze_at as freeze`
  const freeze = new Date(frozen!.freeze)
  context.clock.set(new Date(freeze.getTime() + 1_000))
  const later = (ms: number) => new Date(freeze.getTime() + ms)
  return { game, rope, knot, players, solve, freeze, later }
}
type Scene = Awaited<ReturnType<typeof aScene>>

/** Builds the boards of a game without a cache. */
async function buildViews({ game }: Scene) {
  const service = createScoreboardService({ ...context.deps, boardMaker: createBoardMaker(context.deps), log: context.app.log })
  const views = (await service.readViews(game.id))!
  await service.close()
  return views
}

test('a current board is built again at the freeze, although no row has changed', async () => {
  const scene = await aScene()
  const service = createScoreboardService({ ...context.deps, boardMaker: createBoardMaker(context.deps), log: context.app.log })
  const frozenAt = async () => (await service.readCurrent(scene.game.id))?.public.frozenAt
  context.clock.set(scene.later(-1_000))
  expect([await frozenAt(), await frozenAt()]).toEqual([null, null])
  context.clock.set(scene.later(1_000))
  expect(await frozenAt()).toEqual(scene.freeze)
  await service.close()
})

async function jsonOf({ answer }: { readonly answer: { in(encoding: 'identity'): unknown } }) {
  return JSON.parse(String(await answer.in('identity'))) as Scoreboard
}

function solvesOn(board: Scoreboard) {
  return board.items.flatMap(({ id, solvedChallenges }) => solvedChallenges.map((solve) => `${id} ${solve.id}`)).sort()
}

describe('public board at the freeze and the reveal', () => {
  const revealMs = 60_000
  test.each<[string, number, boolean]>([
    ['is live just before the freeze', -1, false],
    ['is frozen at the freeze', 0, true],
    ['is frozen just after the freeze', 1, true],
    ['is frozen just before the reveal', revealMs - 1, true],
    ['is live at the reveal', revealMs, false],
    ['is live just after the reveal', revealMs + 1, false],
  ])('%s', async (_, ms, isFrozen) => {
    const scene = await aScene()
    await context.sql`update games set revealed_at = ${scene.later(revealMs).toISOString()} where id = ${scene.game.id}`
    context.clock.set(scene.later(ms))
    const { live, public: shown } = await buildViews(scene)
    expect([shown === live, shown.frozenAt]).toEqual([!isFrozen, isFrozen ? scene.freeze : null])
  })

  test('the board remains frozen after the end of the game until the reveal', async () => {
    const scene = await aScene()
    context.clock.set(new Date(scene.game.endsAt.getTime() + 1))
    expect((await buildViews(scene)).public.frozenAt).toEqual(scene.freeze)
  })
})

test.each<[string, number, boolean]>([
  ['has a solve from just before the freeze that commits after it', -1, true],
  ['lacks a solve at the freeze', 0, false],
  ['lacks a solve from just after the freeze', 1, false],
])('the frozen board %s', async (_, ms, isShown) => {
  const scene = await aScene()
  const [, rival] = scene.players
  await scene.solve(rival, scene.rope, scene.later(ms))
  const views = await buildViews(scene)
  const pair = `${rival.team.id} ${scene.rope.id}`
  expect(solvesOn(await jsonOf(views.live))).toContain(pair)
  expect(solvesOn(await jsonOf(views.public)).includes(pair)).toBe(isShown)
})

test('the public board hides a solve after the freeze, even if the clock of the process is before the freeze', async () => {
  const scene = await aScene()
  await scene.solve(scene.players[1], scene.rope, scene.later(0))
  context.clock.set(scene.later(-1))
  const { public: shown } = await buildViews(scene)
  expect(solvesOn(await jsonOf(shown))).toEqual([`${scene.players[0].team.id} ${scene.rope.id}`])
})

test('the frozen board has the same bytes, ETag and version after any change to teams, solves and awards', async () => {
  const scene = await aScene()
  const { game, players, rope, knot, solve, later } = scene
  const { sql } = context
  const before = (await buildViews(scene)).public
  await solve(players[1], rope, later(5))
  await solve(players[2], knot, later(6))
  await sql`delete from solves where participation_id = ${players[0].participation.id}`
  await sql`update participations set status = 'Suspended' where id = ${players[1].participation.id}`
  await sql`delete from participations where id = ${players[2].participation.id}`
  await sql`
    insert into awards (game_id, participation_id, title, points, awarded_at)
    values (${game.id}, ${players[0].participation.id}, 'Talk', 40, ${later(7).toISOString()})`
  await aPlayer(context, { gameId: game.id })
  context.clock.advanceMs(90_000)
  const views = await buildViews(scene)
  const after = views.public
  expect(await after.answer.in('identity')).toEqual(await before.answer.in('identity'))
  expect([after.answer.etag, after.position, after.teamCount]).toEqual([before.answer.etag, before.position, 3])
  expect(String(await after.changesSince(before.position).in('identity'))).toBe(
    String(await before.changesSince(before.position).in('identity')),
  )
  expect(solvesOn(await jsonOf(views.live))).toEqual([])
})

test('clients read the full board at the freeze, after an edit of a challenge, and at the reveal', async () => {
  const scene = await aScene()
  const { game, players, solve, knot, later, freeze } = scene
  const { sql } = context
  const visitor = createTestClient(context.app)
  const path = `/api/game/${game.id}/scoreboard`
  const changesSince = async (version: string) => (await visitor.get(`${path}/rows?since=${version}`)).json() as BoardChanges
  await sql`update games set freeze_at = null where id = ${game.id}`
  const open = await visitor.get(path)
  const openVersion = String(open.headers[boardVersionHeader])
  await sql`update games set freeze_at = ${freeze.toISOString()} where id = ${game.id}`
  await expect.poll(async () => Number((await visitor.get(path)).headers[boardVersionHeader]), poll).toBeGreaterThan(8e14)
  const frozen = await visitor.get(path)
  const version = String(frozen.headers[boardVersionHeader])
  expect(frozen.json().updateTimeUtc).toBe(freeze.toISOString())
  expect((await changesSince(openVersion)).whole).toBe(true)
  await solve(players[1], knot, later(5))
  const monitor = (await signInAsNewUser(context, 'Monitor')).client
  const solved = async (query: string) => solvesOn((await monitor.get(`${path}${query}`)).json()).length
  await expect.poll(() => solved('?view=live'), poll).toBe(2)
  expect(await changesSince(version)).toMatchObject({ version, whole: false, teams: [], challenges: [] })
  expect(await solved('')).toBe(1)
  await sql`update challenges set title = 'Bend' where id = ${knot.id}`
  await expect.poll(async () => (await changesSince(version)).whole, poll).toBe(true)
  expect(JSON.stringify((await visitor.get(path)).json().challenges)).toContain('Bend')
  const edited = String((await visitor.get(path)).headers[boardVersionHeader])
  await sql`update games set revealed_at = ${context.clock.now().toISOString()} where id = ${game.id}`
  await expect.poll(() => solved(''), poll).toBe(2)
  expect((await changesSince(edited)).whole).toBe(true)
})

test('a frozen board shows the current name of a team that was renamed after the freeze', async () => {
  const scene = await aScene()
  const [{ team, participation }] = scene.players
  await context.sql`update participations set status = 'Rejected' where id = ${participation.id}`
  await context.sql`update teams set name = 'Renamed' where id = ${team.id}`
  const board = await jsonOf((await buildViews(scene)).public)
  expect(board.items.find(({ id }) => id === team.id)).toMatchObject({ name: 'Renamed', rank: 1, solvedCount: 1 })
})

describe('after changes of divisions during a freeze, the frozen board and the live board agree', () => {
  type Editor = Readonly<{
    create(name: string): Promise<unknown>
    rename(from: string, to: string): Promise<unknown>
    remove(name: string): Promise<unknown>
    list(...names: readonly string[]): Promise<unknown>
  }>
  // The first team is in the division Open, which has all rights. The second team is in Guest, which has no right to a rank.
  test.each<[string, (editor: Editor) => Promise<unknown>, readonly [unknown, unknown]]>([
    [
      'a deletion',
      ({ remove }) => remove('Guest'),
      [
        ['Open', 1],
        [null, 2],
      ],
    ],
    [
      'a deletion and a rename to the same name',
      async ({ remove, rename }) => {
        await remove('Guest')
        await rename('Open', 'Guest')
      },
      [
        ['Guest', 1],
        [null, 2],
      ],
    ],
    [
      'a deletion and a creation with the same name',
      async ({ remove, create }) => {
        await remove('Guest')
        await create('Guest')
      },
      [
        ['Open', 1],
        [null, 2],
      ],
    ],
    [
      'a list without the division',
      ({ list }) => list('Open'),
      [
        ['Open', 1],
        ['Guest', 2],
      ],
    ],
    [
      'a list without the division and a creation with the same name',
      async ({ list, create }) => {
        await list('Open')
        await create('Guest')
      },
      [
        ['Open', 1],
        ['Guest', 0],
      ],
    ],
  ])('%s', async (_, change, expected) => {
    const scene = await aScene()
    const { game, players, freeze } = scene
    const admin = (await signInAsNewUser(context, 'Admin')).client
    const path = `/api/edit/games/${game.id}/divisions`
    const idOf = async (name: string): Promise<number> =>
      (await admin.get(path)).json().find((division: { name: string }) => division.name === name).id
    const editor: Editor = {
      create: (name) =>
        admin.post(path, { name, defaultPermissions: name === 'Guest' ? allRights & ~divisionRights.rank : allRights }),
      rename: async (from, to) => admin.put(`${path}/${await idOf(from)}`, { name: to }),
      remove: async (name) => admin.delete(`${path}/${await idOf(name)}`),
      list: async (...organizations) => {
        const settings = (await admin.get(`/api/edit/games/${game.id}`)).json() as object
        return admin.put(`/api/edit/games/${game.id}`, { ...settings, organizations })
      },
    }
    await context.sql`update games set freeze_at = null where id = ${game.id}`
    for (const name of ['Open', 'Guest']) await editor.create(name)
    for (const [index, name] of ['Open', 'Guest'].entries())
      await admin.put(`/api/admin/participation/organization/${players[index]!.participation.id}/${name}`)
    const [now] = await context.sql<{ freeze: string }[]>`
      update games set freeze_at = date_trunc('milliseconds', clock_timestamp()) + interval '1 ms' where id = ${game.id}
      returning freeze_at as freeze, pg_sleep(0.01)`
    expect(new Date(now!.freeze).getTime()).toBeGreaterThan(freeze.getTime())
    context.clock.set(new Date(new Date(now!.freeze).getTime() + 1_000))
    await change(editor)
    const views = await buildViews(scene)
    expect(views.public.frozenAt).toEqual(new Date(now!.freeze))
    for (const board of [views.live, views.public])
      expect(
        players.slice(0, 2).map(({ team }) => {
          const row = board.standingOf(team.id)
          return [row?.organization, row?.rank]
        }),
      ).toEqual(expected)
  })
})

test('during a freeze, a team sees its own later solves with frozen values, and its frozen rank', async () => {
  const scene = await aScene()
  const { game, players, rope, knot, solve, later } = scene
  const [first, own] = players
  await solve(first, knot, later(5))
  await solve(own, knot, later(6))
  await solve(own, rope, later(7))
  const details = async (by = own) => (await by.client.get(`/api/game/${game.id}/details`)).json()
  await expect.poll(async () => (await details()).rank.solvedCount, poll).toBe(2)
  const { rank, challenges } = await details()
  const values = new Map<number, number>(challenges.Misc.map((each: { id: number; score: number }) => [each.id, each.score]))
  expect(rank).toMatchObject({ rank: 2, score: values.get(knot.id)! + values.get(rope.id)! })
  expect(challenges.Misc.map(({ title, solved }: { title: string; solved: number }) => [title, solved])).toEqual([
    ['Knot', 0],
    ['Rope', 1],
  ])
  expect((await details(players[2])).rank).toMatchObject({ rank: 3, score: 0, solvedCount: 0 })
})

test('during a freeze, a team can spend all points that it sees, even if later solves have lowered the live score', async () => {
  const scene = await aScene()
  const { game, players, rope, knot, solve, later } = scene
  const [own, ...rivals] = players
  const { score } = (await buildViews(scene)).public.standingOf(own.team.id)!
  const id = crypto.randomUUID()
  const pricedHints = [{ id, text: 'Pull', price: score, place: 0 }]
  await context.sql`update challenges set priced_hints = ${JSON.stringify(pricedHints)}::text::jsonb where id = ${knot.id}`
  for (const [index, rival] of rivals.entries()) await solve(rival, rope, later(5 + index))
  expect((await buildViews(scene)).live.standingOf(own.team.id)?.score).toBeLessThan(score)
  const bought = await own.client.post(`/api/game/${game.id}/challenges/${knot.id}/hints/${id}`, { price: score })
  expect([bought.statusCode, bought.json().text]).toEqual([200, 'Pull'])
})

test('during a freeze, a team unlocks a challenge when it sees enough points, even if its live score is lower', async () => {
  const scene = await aScene()
  const { game, players, knot, solve, later } = scene
  const [, own, rival] = players
  const unlockRule = { after: [], count: null, points: 100, locked: 'Shown' as const }
  const vault = await aChallenge(context.db, { gameId: game.id, title: 'Vault', unlockRule })
  await solve(rival, knot, later(5))
  await solve(own, knot, later(6))
  const { live } = await buildViews(scene)
  expect(live.standingOf(own.team.id)?.score).toBeLessThan(100)
  expect([...live.locks.get(vault.id)!.open]).toContain(own.team.id)
})

test.each([
  ['after', 1_000],
  ['before', -1],
])(
  'a hidden challenge that a team unlocks during a freeze is open only for this team if the clock is %s the freeze',
  async (_, ms) => {
    const scene = await aScene()
    context.clock.set(scene.later(ms))
    const { game, players, knot, solve, later } = scene
    const [own, rival] = players
    const unlockRule = { after: [knot.id], count: null, points: null, locked: 'Hidden' as const }
    await aChallenge(context.db, { gameId: game.id, title: 'Vault', unlockRule })
    await solve(own, knot, later(5))
    const detailsOf = async ({ client }: typeof own) => (await client.get(`/api/game/${game.id}/details`)).body
    await expect.poll(() => detailsOf(own), poll).toContain('Vault')
    // The feed reports the stored unlock, so the frozen board is built again.
    await buildViews(scene)
    const visitor = createTestClient(context.app)
    for (const path of ['scoreboard', 'scoreboard/leading', 'marks', 'ctftime'])
      expect((await visitor.get(`/api/game/${game.id}/${path}`)).body).not.toContain('Vault')
    expect(await detailsOf(rival)).not.toContain('Vault')
  },
)

test('only monitors read the live board', async () => {
  const { game, players } = await aScene()
  for (const path of [
    'scoreboard?view=live',
    'scoreboard/rows?since=1&view=live',
    'scoreboard/leading?view=live',
    'marks?view=live',
  ]) {
    const statusFor = async (client: (typeof players)[number]['client']) =>
      (await client.get(`/api/game/${game.id}/${path}`)).statusCode
    expect([
      await statusFor(createTestClient(context.app)),
      await statusFor(players[0].client),
      await statusFor((await signInAsNewUser(context, 'Monitor')).client),
    ]).toEqual([401, 403, 200])
  }
})
