import { boardVersionHeader } from '@capstan/contract/board-version'
import type { UnlockRule } from '@capstan/contract/unlock'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let direct: Awaited<ReturnType<typeof createTestDatabase>>
let context: TestApp
let replica: FastifyInstance
beforeAll(async () => {
  direct = await createTestDatabase()
  context = await startTestApp({ deps: { db: direct.db } })
  replica = await buildApp(context.deps)
  await replica.ready()
})
afterAll(async () => {
  await replica.close()
  await context.close()
  await direct.drop()
})
beforeEach(() => context.clock.set(new Date()))

const poll = { timeout: 60_000 }

/** Creates a game with the challenges Rope (100 points), Knot (100 points) and Vault, and two teams. */
async function aScene(ruleOf: (ids: { rope: number; knot: number }) => Partial<UnlockRule>) {
  const { db } = direct
  const game = await aGame(db, { bloodBonus: 0 })
  const values = { gameId: game.id, points: 100, minimumShare: 1, flags: ['flag{right}'] }
  const [rope, knot] = [await aChallenge(db, { ...values, title: 'Rope' }), await aChallenge(db, { ...values, title: 'Knot' })]
  const vault = await aChallenge(db, { ...values, title: 'Vault', content: 'Secret text', category: 'Crypto', hints: ['Dig'] })
  const ids = { gameId: game.id, challengeIds: [rope.id, knot.id, vault.id] }
  const [player, rival] = [await aPlayer({ ...context, db }, ids), await aPlayer({ ...context, db }, ids)]
  const admin = (await signInAsNewUser({ ...context, db }, 'Admin')).client
  const edit = (id: number) => `/api/edit/games/${game.id}/challenges/${id}/whole`
  const setRule = async (id: number, rule: Partial<UnlockRule> | null) => {
    const { challenge } = (await admin.get(edit(id))).json()
    const unlock = rule && { after: [], count: null, points: null, locked: 'Shown', ...rule }
    return admin.put(edit(id), { challenge: { ...challenge, unlock } })
  }
  const set = await setRule(vault.id, ruleOf({ rope: rope.id, knot: knot.id }))
  expect([set.statusCode, set.body]).toEqual([200, expect.any(String)])
  const path = `/api/game/${game.id}/challenges/${vault.id}`
  const view = (by = player) => by.client.get(path)
  const details = async (by = player) => (await by.client.get(`/api/game/${game.id}/details`)).json()
  const solve = async (id: number, by = player) => {
    const url = `/api/game/${game.id}/challenges/${id}/verdict`
    expect((await by.client.post(url, { flag: 'flag{right}' })).json()).toMatchObject({ status: 'Accepted' })
  }
  const isOpen = (by = player) => expect.poll(async () => (await view(by)).statusCode, poll).toBe(200)
  return { game, rope, knot, vault, player, rival, admin, edit, setRule, path, view, details, solve, isOpen }
}

describe('locked challenges that are listed', () => {
  test('a locked challenge is listed with an unlock condition, and calls about the challenge return this condition', async () => {
    const scene = await aScene(({ rope, knot }) => ({ after: [rope, knot], count: 1, points: 500 }))
    const { game, vault, rope, knot, player, path, details } = scene
    await expect
      .poll(async () => (await details()).locked, poll)
      .toEqual([{ id: vault.id, after: [rope.id, knot.id], needed: 1, solved: 0, points: 500 }])
    expect((await details()).challenges.Crypto).toMatchObject([{ id: vault.id, title: 'Vault', score: 100 }])
    const detail =
      'The challenge opens when the team solves 1 of 2 prerequisites: "Knot", "Rope", or when the team has 500 points.'
    for (const answer of [
      await player.client.get(path),
      await player.client.get(`${path}/attempts`),
      await player.client.post(path, { flag: 'flag{right}' }),
      await player.client.post(`${path}/verdict`, { flag: 'flag{right}' }),
      await player.client.post(`${path}/hints/${crypto.randomUUID()}`, { price: 0 }),
      await player.client.post(`/api/game/${game.id}/container/${vault.id}`),
    ]) {
      expect(answer.json()).toMatchObject({ status: 403, code: 'challenge.locked', detail })
      expect(answer.body).not.toMatch(/Secret text|Dig/)
    }
    expect(await direct.sql`select id from submissions where challenge_id = ${vault.id}`).toEqual([])
  })

  test('a solve of the prerequisite unlocks the challenge on both replicas for the solving team, and for no other team', async () => {
    const { game, rope, vault, player, rival, details, solve, isOpen, view } = await aScene(({ rope }) => ({ after: [rope] }))
    await solve(rope.id)
    await isOpen()
    const onReplica = () =>
      replica.inject({ url: `/api/game/${game.id}/challenges/${vault.id}`, cookies: Object.fromEntries(player.client.cookies) })
    await expect.poll(async () => (await onReplica()).statusCode, poll).toBe(200)
    await expect.poll(async () => 'locked' in (await details()), poll).toBe(false)
    expect((await view(rival)).statusCode).toBe(403)
    expect((await details(rival)).locked).toMatchObject([{ id: vault.id, needed: 1, solved: 0 }])
    await solve(vault.id)
  })

  test('enough points unlock the challenge, and the challenge remains unlocked when the points decrease', async () => {
    const { game, rope, player, admin, solve, isOpen, details, view } = await aScene(() => ({ points: 150 }))
    await solve(rope.id)
    expect((await view()).statusCode).toBe(403)
    const body = { teamId: player.team.id, points: 50, reason: 'Talk' }
    const award = await admin.post(`/api/edit/games/${game.id}/awards`, body)
    expect([award.statusCode, award.body]).toEqual([200, expect.any(String)])
    await isOpen()
    await direct.sql`update awards set revoked_at = now() where id = ${award.json().id}`
    await expect.poll(async () => (await details()).rank.score, poll).toBe(100)
    expect((await view()).statusCode).toBe(200)
    expect('locked' in (await details())).toBe(false)
  })

  test('the challenge remains unlocked when an organizer takes back the solve of the prerequisite', async () => {
    const { game, rope, player, admin, solve, isOpen, details, view } = await aScene(({ rope }) => ({ after: [rope] }))
    await solve(rope.id)
    await isOpen()
    const body = { kind: 'TakenBack', teamId: player.team.id, challengeId: rope.id, reason: 'Copied' }
    const answer = await admin.post(`/api/edit/games/${game.id}/corrections`, body)
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)])
    await expect.poll(async () => (await details()).rank.score, poll).toBe(0)
    expect((await view()).statusCode).toBe(200)
    expect('locked' in (await details())).toBe(false)
  })

  test('a disabled prerequisite does not lock the challenge, but an unreleased prerequisite locks the challenge', async () => {
    const { game, rope, admin, isOpen, view } = await aScene(({ rope }) => ({ after: [rope] }))
    const change = (fields: object) =>
      admin.post(`/api/edit/games/${game.id}/challenges/change`, { challenges: [rope.id], change: fields })
    expect((await view()).statusCode).toBe(403)
    expect((await change({ enabled: false })).statusCode).toBe(200)
    await isOpen()
    expect((await change({ enabled: true, release: context.clock.now().getTime() + 3_600_000 })).statusCode).toBe(200)
    await expect.poll(async () => (await view()).json().code, poll).toBe('challenge.locked')
    expect((await view()).body).not.toContain('Rope')
  })

  test('the challenge is open for all teams after the end of the game', async () => {
    const { game, vault, view, details } = await aScene(({ rope }) => ({ after: [rope], locked: 'Hidden' }))
    await expect.poll(async () => (await details()).challengeCount, poll).toBe(2)
    await direct.sql`update games set ends_at = now(), practice_mode = true where id = ${game.id}`
    context.clock.advanceMs(60_000)
    await expect.poll(async () => (await view()).statusCode, poll).toBe(200)
    await expect.poll(async () => (await details()).challenges.Crypto?.[0]?.id, poll).toBe(vault.id)
  })
})

describe('locked challenges that are hidden', () => {
  test('no response to players or visitors contains a hidden challenge before a team has unlocked the challenge', async () => {
    const scene = await aScene(({ rope }) => ({ after: [rope], locked: 'Hidden' }))
    const { game, vault, rope, player, rival, admin, path, details, solve, isOpen, view } = scene
    await admin.post(`/api/edit/games/${game.id}/challenges/change`, { challenges: [vault.id], change: { enabled: false } })
    await admin.post(`/api/edit/games/${game.id}/challenges/change`, { challenges: [vault.id], change: { enabled: true } })
    await expect.poll(async () => (await details()).challengeCount, poll).toBe(2)
    for (const call of [path, `${path}/verdict`]) expect((await player.client.post(call, { flag: 'x' })).statusCode).toBe(404)
    expect((await view()).json()).toMatchObject({ status: 404, code: 'challenge.unknown' })
    expect((await player.client.post(`/api/game/${game.id}/container/${vault.id}`)).statusCode).toBe(404)
    const visitor = createTestClient(context.app)
    const lists = ['details', 'scoreboard', 'scoreboard/leading', 'scoreboard/ctftime', 'marks', 'notices', 'instances', '']
    const read = async (client: TestClient) =>
      (await Promise.all(lists.map(async (list) => (await client.get(`/api/game/${game.id}/${list}`)).body))).join('\n')
    for (const client of [player.client, visitor]) expect(await read(client)).not.toMatch(new RegExp(`Vault|"id":${vault.id}\\b`))
    expect((await visitor.get(`/api/game/${game.id}/scoreboard/solvers/${vault.id}`)).statusCode).toBe(404)
    const isAbout = (each: object) => 'gameId' in each && each.gameId === game.id && JSON.stringify(each).includes('Vault')
    expect(context.messages.filter(isAbout)).toEqual([])

    const since = (await visitor.get(`/api/game/${game.id}/scoreboard`)).headers[boardVersionHeader]
    await solve(rope.id, rival)
    await isOpen(rival)
    await expect.poll(async () => (await visitor.get(`/api/game/${game.id}/scoreboard`)).body, poll).toContain('Vault')
    const changes = await visitor.get(`/api/game/${game.id}/scoreboard/rows?since=${since}`)
    expect(changes.json()).toMatchObject({ whole: true })
    expect((await details()).challengeCount).toBe(2)
    expect((await view()).statusCode).toBe(404)
  })
})

describe('unlock rules', () => {
  test('unlock rules that form a cycle are refused, and the response contains the titles of the challenges', async () => {
    const { rope, knot, vault, setRule } = await aScene(({ rope }) => ({ after: [rope] }))
    expect((await setRule(rope.id, { after: [knot.id] })).statusCode).toBe(200)
    expect((await setRule(knot.id, { after: [vault.id] })).json()).toMatchObject({
      status: 400,
      code: 'challenge.unlock-cycle',
      detail: '"Rope" opens after "Knot", which opens after "Vault", which opens after "Rope".',
    })
    expect((await setRule(knot.id, { after: [knot.id] })).json()).toMatchObject({
      detail: '"Knot" opens after "Knot".',
    })
  })

  test('an unlock rule that refers to a challenge of another game is refused', async () => {
    const { vault, setRule } = await aScene(({ rope }) => ({ after: [rope] }))
    const stranger = await aChallenge(direct.db)
    expect((await setRule(vault.id, { after: [stranger.id] })).json()).toMatchObject({
      status: 400,
      code: 'challenge.prerequisite',
    })
  })

  test('unlock rules never form a cycle, even if two parallel calls would create one', async () => {
    const { game, rope, knot, setRule, admin } = await aScene(() => ({ points: 1 }))
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all([setRule(rope.id, { after: [knot.id] }), setRule(knot.id, { after: [rope.id] })])
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400])
      for (const id of [rope.id, knot.id]) expect((await setRule(id, null)).statusCode).toBe(200)
    }
    expect((await admin.get(`/api/edit/games/${game.id}/challenges`)).json()).toMatchObject([
      { hasUnlockRule: false },
      { hasUnlockRule: false },
      { hasUnlockRule: true },
    ])
  })

  test('a deleted prerequisite is removed from unlock rules, and a copied game has rules about its own challenges', async () => {
    const { game, rope, knot, vault, admin, edit } = await aScene(({ rope, knot }) => ({ after: [rope, knot] }))
    const start = Date.now() + 86_400_000
    const body = { title: 'Copy', start: new Date(start).toISOString() }
    const copy = (await admin.post(`/api/edit/games/${game.id}/clone`, body)).json()
    const [ropeCopy, knotCopy, vaultCopy] = (await admin.get(`/api/edit/games/${copy.id}/challenges/whole`)).json()
    expect(vaultCopy.challenge.unlock).toMatchObject({ after: [ropeCopy.id, knotCopy.id] })
    expect((await admin.delete(`/api/edit/games/${game.id}/challenges/${rope.id}`)).statusCode).toBe(200)
    expect((await admin.get(edit(vault.id))).json().challenge.unlock).toMatchObject({ after: [knot.id] })
    expect((await admin.delete(`/api/edit/games/${game.id}/challenges/${knot.id}`)).statusCode).toBe(200)
    expect((await admin.get(edit(vault.id))).json().challenge.unlock).toBeNull()
  })
})
