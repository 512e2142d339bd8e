import type { Scoreboard } from '@capstan/contract/scoreboard'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { getGame } from '../../games/editing/service.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { verifyBoard } from '../../testing/verify-board.ts'
import { createChainReader } from './chain-lines.ts'
import { extendChains, findChainEnd } from './service.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

/** Creates a game with a challenge and two teams. */
async function aScene() {
  const game = await aGame(context.db, { divisions: [{ name: 'Open' }] })
  const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Known', flags: ['flag{right}'] })
  const values = { gameId: game.id, challengeIds: [challenge.id] }
  const players = [await aPlayer(context, values), await aPlayer(context, { ...values, division: 'Open' })] as const
  const submit = (index: 0 | 1, submittedAt = new Date(), db = context.db) =>
    aSubmission(db, players[index].participation, challenge.id, { solve: true, userId: players[index].user.id, submittedAt })
  const url = `/api/game/${game.id}/scoreboard/chain`
  const download = async () => (await createTestClient(context.app).get(url)).body
  return { game, challenge, players, submit, url, download }
}

type Line = Readonly<{ sequence?: number; seal?: number; kind?: string; key?: string; value?: Record<string, unknown> | null }>

/** Extends the chain and returns the records in the chain. */
async function recordsOf({ download }: { readonly download: () => Promise<string> }): Promise<Line[]> {
  await extendChains(context.deps)
  const lines: Line[] = (await download())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  return lines.filter(({ sequence }) => sequence !== undefined)
}

async function kindsAbout(scene: Parameters<typeof recordsOf>[0], id: number): Promise<(string | undefined)[]> {
  const records = await recordsOf(scene)
  const about = records.filter(({ key, value }) => key?.split(' ').at(-1) === String(id) || value?.challenge === id)
  return about.flatMap(({ kind }) => (kind === 'challenge' || kind === 'flag' || kind === 'right' ? [kind] : []))
}

async function readBoard(gameId: number): Promise<string[]> {
  const board: Scoreboard = (await createTestClient(context.app).get(`/api/game/${gameId}/scoreboard`)).json()
  return board.items.map(({ id, rank, score }) => `${rank}\t${id}\t${score}`)
}

test('the verification script recomputes the board from the downloaded chain, and refuses a changed line', async () => {
  const { game, players, submit, download } = await aScene()
  await submit(1)
  await extendChains(context.deps)
  await submit(0)
  await admin.post(`/api/edit/games/${game.id}/awards`, { teamId: players[0].team.id, points: 25, reason: 'Talk' })
  await Promise.all([extendChains(context.deps), extendChains(context.deps)])
  await extendChains(context.deps)
  const chain = await download()
  const shown = await verifyBoard(chain, game.publicKey)
  expect(shown).toHaveLength(3)
  await expect.poll(() => readBoard(game.id)).toEqual(shown?.slice(0, -1))
  const lines = chain.trimEnd().split('\n')
  for (const at of [1, lines.length - 2, lines.length - 1]) {
    const changed = lines.with(
      at,
      lines[at]!.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    )
    expect(await verifyBoard(changed.join('\n'))).toBe(undefined)
  }
  for (const { team, user } of players) expect([team.name, user.userName].filter((name) => chain.includes(name))).toEqual([])
})

test('the public chain of score records omits a challenge until an organizer enables the challenge', async () => {
  const scene = await aScene()
  const hidden = await aChallenge(context.db, { gameId: scene.game.id, title: 'Secret plan', isEnabled: false, flags: ['x'] })
  await context.sql`update flags set points = 30 where challenge_id = ${hidden.id}`
  await context.sql`
    insert into division_challenges (division_id, challenge_id, permissions)
    select id, ${hidden.id}, 2 from divisions where game_id = ${scene.game.id}`
  expect(await kindsAbout(scene, hidden.id)).toEqual([])
  expect(await scene.download()).not.toContain('Secret plan')
  await context.sql`update challenges set is_enabled = true where id = ${hidden.id}`
  expect((await kindsAbout(scene, hidden.id)).sort()).toEqual(['challenge', 'flag', 'right'])
})

test('the chain omits a challenge that is hidden by its unlock rule, until a team unlocks it or the game ends', async () => {
  const scene = await aScene()
  const rule = JSON.stringify({ after: [scene.challenge.id], count: null, points: null, locked: 'Hidden' })
  const add = async () => {
    const { id } = await aChallenge(context.db, { gameId: scene.game.id, isEnabled: false })
    await context.sql`update challenges set unlock_rule = ${rule}::text::jsonb, is_enabled = true where id = ${id}`
    return id
  }
  const [unlocked, locked] = [await add(), await add()]
  const findKinds = async () => [await kindsAbout(scene, unlocked), await kindsAbout(scene, locked)]
  expect(await findKinds()).toEqual([[], []])
  await context.sql`
    insert into unlocks (game_id, participation_id, challenge_id, unlocked_at)
    values (${scene.game.id}, ${scene.players[0].participation.id}, ${unlocked}, now())`
  expect(await findKinds()).toEqual([['challenge'], []])
  await context.sql`update games set ends_at = now() - interval '1 minute' where id = ${scene.game.id}`
  expect(await findKinds()).toEqual([['challenge'], ['challenge']])
})

test('the public chain of score records gets no new solves between the freeze and the reveal', async () => {
  const scene = await aScene()
  const { game, submit, download } = scene
  await submit(0)
  const [row] = await context.sql<{ freeze: string }[]>`
    update games set freeze_at = date_trunc('milliseconds', clock_timestamp()) where id = ${game.id} returning freeze_at as freeze`
  const freeze = new Date(row!.freeze).getTime()
  const countSolves = async () => (await recordsOf(scene)).filter(({ kind }) => kind === 'solve').length
  expect(await countSolves()).toBe(1)
  const frozen = await download()
  await submit(1, new Date(freeze))
  for (const ms of [-60_000, 0, 60_000]) {
    context.clock.set(new Date(freeze + ms))
    expect([await countSolves(), await download()]).toEqual([1, frozen])
  }
  await context.sql`update games set revealed_at = ${new Date(freeze + 60_000).toISOString()} where id = ${game.id}`
  expect(await countSolves()).toBe(2)
  expect((await download()).startsWith(frozen)).toBe(true)
  context.clock.set(new Date())
})

test('a solve is appended to the public chain of score records when its transaction commits', async () => {
  const scene = await aScene()
  const early = new Date()
  let before: Line[] = []
  await context.db.transaction(async (transaction) => {
    await scene.submit(0, early, transaction as unknown as typeof context.db)
    await scene.submit(1, new Date(early.getTime() + 1000))
    before = await recordsOf(scene)
  })
  const later = await recordsOf(scene)
  expect(later.slice(0, before.length)).toEqual(before)
  expect(later.slice(before.length).map(({ kind }) => kind)).toEqual(['solve'])
  await expect.poll(() => readBoard(scene.game.id)).toEqual((await verifyBoard(await scene.download()))?.slice(0, -1))
})

test('a repeated download gets 304 until a new record is sealed, and can omit the records up to a given number', async () => {
  const scene = await aScene()
  await extendChains(context.deps)
  const { etag } = (await admin.get(scene.url)).headers
  const findStatus = async () =>
    (await context.app.inject({ url: scene.url, headers: { 'if-none-match': String(etag) } })).statusCode
  expect(await findStatus()).toBe(304)
  await scene.submit(0)
  expect(await findStatus()).toBe(304)
  await extendChains(context.deps)
  expect(await findStatus()).toBe(200)
  const [first] = (await admin.get(`${scene.url}?after=2`)).body.split('\n')
  expect(JSON.parse(String(first)).sequence).toBe(3)
})

test('the chain of a game is empty before its start', async () => {
  const game = await aGame(context.db, { phase: 'upcoming' })
  await extendChains(context.deps)
  const [row] = await context.sql`select count(sequence)::integer as count from score_records where game_id = ${game.id}`
  expect(row).toEqual({ count: 0 })
  expect((await admin.get(`/api/game/${game.id}/scoreboard/chain`)).statusCode).toBe(400)
})

test('seals cannot be changed, and are deleted with their game', async () => {
  const { game } = await aScene()
  await extendChains(context.deps)
  const countSeals = async () => (await context.sql`select from board_seals where game_id = ${game.id}`).length
  expect(await countSeals()).toBe(1)
  await expect(context.sql`update board_seals set hash = '' where game_id = ${game.id}`).rejects.toThrow('append-only')
  await expect(context.sql`delete from board_seals where game_id = ${game.id}`).rejects.toThrow('append-only')
  await context.sql`delete from games where id = ${game.id}`
  expect(await countSeals()).toBe(0)
})

test('concurrent and later downloads read each record only once in total, and return the same lines', async () => {
  const { game, submit } = await aScene()
  await submit(0)
  await extendChains(context.deps)
  const row = await getGame(context.deps, game.id)
  const chains = createChainReader(context.deps)
  const read = async (last: number, after = 0) => [...(await chains.read(row, { after, last }))]
  const end = await findChainEnd(context.deps, game.id)
  const reads = vi.spyOn(context.deps.db, 'select')
  const [one, ...others] = await Promise.all(Array.from({ length: 5 }, () => read(end)))
  const afterFirst = reads.mock.calls.length
  expect(others).toEqual(Array.from({ length: 4 }, () => one))
  expect(await read(2)).toEqual(one?.slice(0, 2))
  expect(await read(end, 1)).toEqual(one?.slice(1))
  await submit(1)
  await extendChains(context.deps)
  const longer = await read(await findChainEnd(context.deps, game.id))
  expect(longer.slice(0, end)).toEqual(one)
  expect(longer.length).toBeGreaterThan(end)
  expect(afterFirst).toBe(2)
  reads.mockRestore()
})

test('downloads of a chain that is longer than the cache share their lines', async () => {
  const { game, submit } = await aScene()
  await submit(0)
  await extendChains(context.deps)
  const last = await findChainEnd(context.deps, game.id)
  const chains = createChainReader(context.deps, last - 1)
  const stored = await getGame(context.deps, game.id)
  const first = [...(await chains.read(stored, { after: 0, last }))]
  // The records are not read again, so a deletion does not change the second download.
  await context.sql`delete from games where id = ${game.id}`
  expect([...(await chains.read(stored, { after: 0, last }))]).toEqual(first)
  expect(first).toHaveLength(last)
})
