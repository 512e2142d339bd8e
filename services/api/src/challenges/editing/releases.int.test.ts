import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, aSubmission } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer } from '../../testing/playing-factories.ts'
import { releaseDueChallenges, startChallengeReleases } from './releases.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())
beforeEach(() => context.clock.set(new Date()))

async function aScene(values: { release?: number | null; deadline?: number | null } = {}) {
  const game = await aGame(context.db)
  const challenge = await aChallenge(context.db, { gameId: game.id, title: 'Sealed orders', flags: ['flag{right}'] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const admin = (await signInAsNewUser(context, 'Admin')).client
  const path = `/api/game/${game.id}/challenges/${challenge.id}`
  const schedule = (challenges: number[], change: object) =>
    admin.post(`/api/edit/games/${game.id}/challenges/change`, { challenges, change })
  const set = (times: object) => schedule([challenge.id], times)
  if (Object.keys(values).length > 0) expect((await set(values)).statusCode).toBe(200)
  const notices = () => context.sql`select type from notices where game_id = ${game.id} and challenge_id = ${challenge.id}`
  const submit = (flag: string) => player.client.post(path, { flag })
  return { game, challenge, player, admin, path, schedule, set, notices, submit }
}

function inMs(ms: number): number {
  return context.clock.now().getTime() + ms
}

test('an unreleased challenge is absent from all responses to players and visitors, and present for organizers', async () => {
  const { game, challenge, player, admin, path } = await aScene({ release: inMs(60_000) })
  for (const method of ['', '/attempts'])
    expect((await player.client.get(`${path}${method}`)).json()).toMatchObject({ status: 404, code: 'challenge.unknown' })
  for (const call of [path, `${path}/verdict`]) expect((await player.client.post(call, { flag: 'x' })).statusCode).toBe(404)
  expect((await player.client.post(`/api/game/${game.id}/container/${challenge.id}`)).statusCode).toBe(404)
  for (const list of ['details', 'scoreboard', 'scoreboard/leading', 'marks', 'notices', 'instances'])
    expect((await player.client.get(`/api/game/${game.id}/${list}`)).body).not.toMatch(/Sealed orders|"id":\d+,"hasContainer"/)
  expect((await player.client.get(`/api/game/${game.id}/scoreboard/solvers/${challenge.id}`)).statusCode).toBe(404)
  const [listed] = (await admin.get(`/api/edit/games/${game.id}/challenges`)).json()
  expect(listed).toMatchObject({ title: 'Sealed orders', releaseUtc: inMs(60_000), isReleased: false })
  const monitor = (await signInAsNewUser(context, 'Monitor')).client
  expect((await monitor.get(`/api/game/${game.id}/monitor/challenges`)).body).toContain('Sealed orders')
})

test('releases a challenge at its release instant and sends only one notice, even if concurrent runs and replicas release it', async () => {
  const { game, player, path, notices } = await aScene({ release: inMs(5_000) })
  context.clock.advanceMs(4_999)
  expect(await releaseDueChallenges(context.deps)).toBe(1)
  expect((await player.client.get(path)).statusCode).toBe(404)
  context.clock.advanceMs(1)
  await Promise.all(Array.from({ length: 8 }, () => releaseDueChallenges(context.deps)))
  expect((await player.client.get(path)).statusCode).toBe(200)
  expect(await notices()).toEqual([{ type: 'NewChallenge' }])
  const pushed = () => context.messages.filter((each) => each.kind === 'notice' && each.gameId === game.id)
  await expect.poll(pushed).toHaveLength(1)
  await expect
    .poll(async () => (await player.client.get(`/api/game/${game.id}/scoreboard`)).body, { timeout: 60_000 })
    .toContain('Sealed orders')
})

test('the challenge is released only once if two processes start after its release instant', async () => {
  const { player, path, notices } = await aScene({ release: inMs(5_000) })
  const deps = { ...context.deps, log: { warn: () => undefined } }
  context.clock.advanceMs(60_000)
  expect((await player.client.get(path)).statusCode).toBe(404)
  const stops = [startChallengeReleases(deps), startChallengeReleases(deps)]
  await expect.poll(async () => (await player.client.get(path)).statusCode, { timeout: 60_000 }).toBe(200)
  for (const stop of stops) stop()
  await releaseDueChallenges(context.deps)
  expect(await notices()).toEqual([{ type: 'NewChallenge' }])
})

test('clearing a release, or setting it to a past instant, takes effect at once', async () => {
  const { player, path, set, notices } = await aScene({ release: inMs(60_000) })
  expect((await set({ release: null })).statusCode).toBe(200)
  expect((await player.client.get(path)).statusCode).toBe(200)
  expect((await set({ release: inMs(60_000) })).statusCode).toBe(200)
  expect((await player.client.get(path)).statusCode).toBe(404)
  expect((await set({ release: inMs(0) })).statusCode).toBe(200)
  expect((await player.client.get(path)).statusCode).toBe(200)
  expect(await notices()).toHaveLength(2)
})

test('a disabled challenge is released without a notice, and announced when it is enabled', async () => {
  const { game, challenge, admin, player, path, notices } = await aScene({ release: inMs(1_000) })
  const edit = (isEnabled: boolean) => admin.put(`/api/edit/games/${game.id}/challenges/${challenge.id}`, { isEnabled })
  await edit(false)
  context.clock.advanceMs(1_000)
  await releaseDueChallenges(context.deps)
  expect([(await player.client.get(path)).statusCode, await notices()]).toEqual([404, []])
  await edit(true)
  expect([(await player.client.get(path)).statusCode, await notices()]).toEqual([200, [{ type: 'NewChallenge' }]])
})

test('a call that sets release times changes no challenge if one challenge is unknown', async () => {
  const { game, challenge, schedule, admin } = await aScene()
  const another = await aChallenge(context.db, { gameId: game.id })
  const foreign = await aChallenge(context.db)
  const at = inMs(60_000)
  expect((await schedule([challenge.id, foreign.id], { release: at })).statusCode).toBe(404)
  const read = async () =>
    (await admin.get(`/api/edit/games/${game.id}/challenges`))
      .json()
      .map(({ releaseUtc, deadlineUtc }: Record<string, unknown>) => [releaseUtc, deadlineUtc])
  expect(await read()).toEqual([
    [null, null],
    [null, null],
  ])
  expect((await schedule([another.id, challenge.id], { release: at, deadline: at + 1 })).statusCode).toBe(200)
  expect((await schedule([another.id], { deadline: null })).statusCode).toBe(200)
  expect(await read()).toEqual([
    [at, at + 1],
    [at, null],
  ])
})

test('accepts flags just before the deadline, and refuses them from the deadline on', async () => {
  const { player, path, submit, game } = await aScene({ deadline: inMs(10_000) })
  expect((await player.client.get(path)).json().deadline).toBe(inMs(10_000))
  context.clock.advanceMs(9_999)
  expect((await submit('guess')).statusCode).toBe(200)
  context.clock.advanceMs(1)
  expect((await submit('flag{right}')).json()).toMatchObject({ status: 400, code: 'challenge.closed' })
  expect((await player.client.get(path)).statusCode).toBe(200)
  const board = async () => (await player.client.get(`/api/game/${game.id}/details`)).json().challenges.Misc?.[0]
  await expect.poll(async () => (await board())?.deadline, { timeout: 60_000 }).toBe(inMs(0))
})

test('in practice mode, a right flag after the deadline of the challenge is accepted without points', async () => {
  const game = await aPastGame(context.db, { practiceMode: true })
  const deadlineAt = new Date(game.endsAt.getTime() - 60_000)
  const challenge = await aChallenge(context.db, { gameId: game.id, flags: ['flag{right}'], deadlineAt })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [challenge.id] })
  const verdict = await player.client.post(`/api/game/${game.id}/challenges/${challenge.id}/verdict`, { flag: 'flag{right}' })
  expect(verdict.json()).toMatchObject({ status: 'Accepted', solve: null })
})

test('removes later solves from the board when the deadline moves to an earlier instant', async () => {
  const { game, challenge, player, set } = await aScene()
  await aSubmission(context.db, player.participation, challenge.id, { solve: true, userId: player.user.id })
  const solved = async () => (await player.client.get(`/api/game/${game.id}/scoreboard`)).json().items?.[0]?.solvedCount
  await expect.poll(solved, { timeout: 60_000 }).toBe(1)
  await set({ deadline: Date.UTC(2020, 0, 1) })
  await expect.poll(solved, { timeout: 60_000 }).toBe(0)
})

test('an edit without release and deadline leaves both unchanged, and an edit with the value 0 clears both', async () => {
  const { game, challenge, admin } = await aScene({ release: inMs(60_000), deadline: inMs(90_000) })
  const address = `/api/edit/games/${game.id}/challenges/${challenge.id}`
  const times = { releaseUtc: inMs(60_000), deadlineUtc: inMs(90_000) }
  expect((await admin.put(address, { title: 'Renamed' })).json()).toMatchObject(times)
  expect((await admin.put(address, { deadlineUtc: 0 })).json()).toMatchObject({ ...times, deadlineUtc: null })
  expect((await admin.put(address, { releaseUtc: 0 })).json()).toMatchObject({ releaseUtc: null, deadlineUtc: null })
})

test('a deadline that is not after the release is refused by every call, and changes nothing', async () => {
  const times = { release: inMs(60_000), deadline: inMs(90_000) }
  const { game, challenge, admin, set } = await aScene(times)
  const address = `/api/edit/games/${game.id}/challenges/${challenge.id}`
  const refused = { status: 400, code: 'challenge.times', title: 'The deadline must be after the release' }
  expect((await admin.put(address, { deadlineUtc: inMs(60_000) })).json()).toMatchObject(refused)
  expect((await set({ release: inMs(90_000) })).json()).toMatchObject(refused)
  expect((await admin.get(address)).json()).toMatchObject({ releaseUtc: times.release, deadlineUtc: times.deadline })
  await set({ deadline: inMs(60_001) })
  expect((await admin.get(address)).json()).toMatchObject({ releaseUtc: times.release, deadlineUtc: inMs(60_001) })
})
