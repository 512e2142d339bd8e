import { createInProcessBus } from '@capstan/bus/in-process-bus'
import { deriveInstanceName } from '@capstan/challenge-instance/names'
import { RateLimits } from '@capstan/contract/limits'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../server/config.ts'
import { readyStateOf, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { requiredEnvironment } from '../../testing/environment.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anInstance } from '../../testing/organizing-factories.ts'
import { aPastGame, aPlayer, aTeamMate } from '../../testing/playing-factories.ts'
import { createGatewayBackend } from '../internal/gateway-backend.ts'
import { createInstanceReconciler } from './reconciler.ts'
import type { InstanceRuntime, ObservedInstance, ObservedState } from './runtime.ts'
import { anEntryContainer, anInstanceSpec } from './testing/instance-spec.ts'

let context: TestApp
/** Two further replicas of the api. Their timeout for readiness is long, because a container starts slowly on a slow machine. */
let replicas: TestApp['app'][]
beforeAll(async () => {
  context = await startTestApp()
  const config = { ...context.deps.config, instances: { ...context.deps.config.instances, readyTimeoutMs: 60_000 } }
  replicas = await Promise.all([1, 2].map(() => buildApp({ ...context.deps, config })))
})
afterAll(async () => {
  await Promise.all(replicas.map((app) => app.close()))
  await context.close()
})
function startAt(replica: number, { cookies }: TestClient, url: string) {
  return replicas[replica]!.inject({ method: 'POST', url, cookies: Object.fromEntries(cookies) })
}

function pending(): ObservedState {
  return { kind: 'pending', reason: 'Pulling', message: 'Pulling' }
}
beforeEach(() => {
  context.runtime.become(readyStateOf)
  context.clock.set(new Date())
})

type ChallengeValues = Parameters<typeof aChallenge>[1]
function aContainerChallenge(values: ChallengeValues = {}) {
  return aChallenge(context.db, {
    type: 'StaticContainer',
    containerImage: 'shop:1',
    port: 8080,
    title: 'Shop',
    ...values,
  })
}

function pathOf(challenge: { gameId: number; id: number }) {
  return `/api/game/${challenge.gameId}/container/${challenge.id}`
}
function rowsOf(challengeId: number) {
  return context.sql`select id, status, host, port, reason, reason_code, ended_at from instances where challenge_id = ${challengeId} order by started_at, id`
}
function liveOf(participationId: number) {
  return context.sql`select challenge_id from instances where participation_id = ${participationId} and ended_at is null`
}
function eventsOf(gameId: number) {
  return context.sql`select type, values from events where game_id = ${gameId} order by id`
}

/** Creates a player, and a challenge that the player can start. */
async function aPlayedChallenge(values: ChallengeValues = {}) {
  const challenge = await aContainerChallenge(values)
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  return { challenge, player, path: pathOf(challenge) }
}

function setPolicy(policy: Record<string, unknown>) {
  return context.sql`
  insert into platform_settings (section, value) values ('containerPolicy', ${JSON.stringify(policy)}::text::jsonb)
  on conflict (section) do update set value = excluded.value`
}

test("a start responds with the container's UUID as entry when it is ready, and stores an event", async () => {
  const { challenge, player, path } = await aPlayedChallenge()
  const response = await player.client.post(path)
  expect(response.statusCode).toBe(200)
  const [row] = await rowsOf(challenge.id)
  const now = context.clock.now().getTime()
  expect(response.json()).toEqual({
    status: 'Running',
    startedAt: new Date(now).toISOString(),
    expectStopAt: new Date(now + 120 * 60_000).toISOString(),
    entry: row?.id,
  })
  expect(row).toMatchObject({ status: 'Running', host: '10.0.0.1', port: 8080, ended_at: null })
  expect(await eventsOf(challenge.gameId)).toEqual([{ type: 'ContainerStart', values: [String(challenge.id), 'Shop'] }])
  await expect
    .poll(() => context.messages.some((message) => message.kind === 'event' && message.gameId === challenge.gameId))
    .toBe(true)
})

test('a start passes the settings of the organizers and the flag of the team to the runtime', async () => {
  const { challenge, player, path } = await aPlayedChallenge({
    type: 'DynamicContainer',
    flagTemplate: 'flag{[GUID]}',
    cpuTenths: 5,
    memoryMb: 96,
    storageMb: 300,
  })
  const { entry } = (await player.client.post(path)).json()
  const [assignment] = await context.sql`select flag from assignments where challenge_id = ${challenge.id}`
  expect(context.runtime.specs.get(entry)).toEqual({
    id: entry,
    gameId: challenge.gameId,
    challengeId: challenge.id,
    participationId: player.participation.id,
    teamId: player.team.id,
    flag: assignment?.flag,
    containers: [
      {
        image: 'shop:1',
        port: 8080,
        cpuTenths: 5,
        memoryMb: 96,
        storageMb: 300,
        definition: {},
        secrets: {},
        receivesFlag: true,
      },
    ],
    ways: [],
    expiresAt: new Date(context.clock.now().getTime() + 120 * 60_000),
    capture: false,
  })
  expect(assignment?.flag).toMatch(/^flag\{/)
})

test('a start passes no flag to a static container', async () => {
  const { player, path } = await aPlayedChallenge()
  expect(context.runtime.specs.get((await player.client.post(path)).json().entry)?.flag).toBeUndefined()
})

test('a start answers Pending if the container is slow, and continues', async () => {
  context.runtime.become(pending)
  const { challenge, player, path } = await aPlayedChallenge()
  const response = await player.client.post(path)
  expect([response.statusCode, response.json().status]).toEqual([200, 'Pending'])
  expect(await rowsOf(challenge.id)).toMatchObject([{ status: 'Pending', ended_at: null }])
})

test('a start answers Running if the container becomes ready while the call waits', async () => {
  context.runtime.become(pending)
  const { challenge, player, path } = await aPlayedChallenge()
  const response = startAt(0, player.client, path)
  await expect.poll(async () => (await rowsOf(challenge.id)).some(({ id }) => context.runtime.specs.has(id))).toBe(true)
  const [row] = await rowsOf(challenge.id)
  context.runtime.setState(row?.id, { kind: 'ready', host: '10.0.0.9', port: 8080 })
  expect((await response).json().status).toBe('Running')
})

test('a start answers 400 with the reason after a final failure, and retains no container', async () => {
  context.runtime.become(() => ({ kind: 'failed', reason: 'ImagePullFailed', message: 'The image could not be pulled.' }))
  const { challenge, player, path } = await aPlayedChallenge()
  const response = await player.client.post(path)
  const title = 'The challenge image could not be downloaded. Please tell the organizers.'
  expect([response.statusCode, response.json()]).toEqual([400, expect.objectContaining({ title, detail: 'ImagePullFailed' })])
  const [row] = await rowsOf(challenge.id)
  expect(row).toMatchObject({
    ...{ status: 'Destroyed', reason: 'The image could not be pulled.', reason_code: 'ImagePullFailed' },
  })
  expect(context.runtime.specs.has(row?.id)).toBe(false)
  expect(await eventsOf(challenge.gameId)).toHaveLength(0)
  context.runtime.become(readyStateOf)
  expect((await player.client.post(path)).statusCode).toBe(200)
})

test('a start answers 400 if the runtime cannot create the instance, and retains no container', async () => {
  const { challenge, player, path } = await aPlayedChallenge()
  context.runtime.become(() => {
    throw new Error('The API server is away')
  })
  const response = await player.client.post(path)
  expect([response.statusCode, response.json().code]).toEqual([400, 'instance.failed'])
  expect(response.body).not.toContain('API server')
  expect(await liveOf(player.participation.id)).toHaveLength(0)
  expect(await eventsOf(challenge.gameId)).toHaveLength(0)
})

test('a running container cannot be started again, even by a team mate', async () => {
  const { player, path } = await aPlayedChallenge()
  await player.client.post(path)
  const mate = await aTeamMate(context, player)
  const response = await mate.client.post(path)
  expect([response.statusCode, response.json().code]).toEqual([400, 'instance.running'])
})

test('the next start replaces a failed container', async () => {
  const { challenge, player, path } = await aPlayedChallenge()
  const first = (await player.client.post(path)).json().entry
  context.runtime.setState(first, { kind: 'failed', reason: 'CrashLooping', message: 'It crashes.' })
  context.clock.advanceMs(10_000)
  const second = (await player.client.post(path)).json().entry
  expect(second).not.toBe(first)
  expect(await rowsOf(challenge.id)).toMatchObject([
    { id: first, status: 'Destroyed' },
    { id: second, status: 'Running' },
  ])
  expect(context.runtime.specs.has(first)).toBe(false)
})

test('a start or stop is refused with 429 and Retry-After for 10 s after the previous start or stop', async () => {
  const { player, path } = await aPlayedChallenge()
  await player.client.post(path)
  context.clock.advanceMs(6_500)
  const early = await player.client.delete(path)
  expect([early.statusCode, early.headers['retry-after'], early.json().code]).toEqual([429, '4', 'instance.cooldown'])
  context.clock.advanceMs(3_500)
  expect((await player.client.delete(path)).statusCode).toBe(200)
  expect((await player.client.post(path)).statusCode).toBe(429)
  context.clock.advanceMs(10_000)
  expect((await player.client.post(path)).statusCode).toBe(200)
})

test('closes connections at once even if the cluster removes the container slowly', async () => {
  const { player, path } = await aPlayedChallenge()
  const { entry } = (await player.client.post(path)).json()
  context.clock.advanceMs(10_000)
  const { runtime } = context.runtime
  const remove = runtime.delete
  const slow = Promise.withResolvers<void>()
  Object.assign(runtime, { delete: (id: string) => slow.promise.then(() => remove(id)) })
  const response = player.client.delete(path)
  await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: entry })
  Object.assign(runtime, { delete: remove })
  slow.resolve()
  expect((await response).statusCode).toBe(200)
  expect(context.runtime.specs.has(entry)).toBe(false)
})

test('a stop removes the container, notifies the gateways and stores an event; a stop without a container returns 400', async () => {
  const { challenge, player, path } = await aPlayedChallenge()
  const { entry } = (await player.client.post(path)).json()
  context.clock.advanceMs(10_000)
  const response = await player.client.delete(path)
  expect([response.statusCode, response.body]).toEqual([200, ''])
  expect(await rowsOf(challenge.id)).toMatchObject([{ status: 'Destroyed' }])
  expect(context.runtime.specs.has(entry)).toBe(false)
  expect((await eventsOf(challenge.gameId)).map(({ type }) => type)).toEqual(['ContainerStart', 'ContainerDestroy'])
  await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: entry })
  const again = await player.client.delete(path)
  expect([again.statusCode, again.json().code]).toEqual([400, 'instance.none'])
})

test('a solve leaves the container running', async () => {
  const { challenge, player, path } = await aPlayedChallenge({ flags: ['flag{right}'] })
  const { entry } = (await player.client.post(path)).json()
  const solved = await player.client.post(`/api/game/${challenge.gameId}/challenges/${challenge.id}`, { flag: 'flag{right}' })
  expect(solved.statusCode).toBe(200)
  expect(await context.sql`select id from solves where challenge_id = ${challenge.id}`).toHaveLength(1)
  expect(await rowsOf(challenge.id)).toMatchObject([{ id: entry, status: 'Running', ended_at: null }])
  expect(context.runtime.specs.has(entry)).toBe(true)
})

test('an extension by two hours is allowed only in the last ten minutes', async () => {
  const { player, path } = await aPlayedChallenge()
  const { entry, expectStopAt } = (await player.client.post(path)).json()
  const early = await player.client.post(`${path}/extend`)
  expect([early.statusCode, early.json().code]).toEqual([400, 'instance.not-extendable'])
  context.clock.advanceMs(110 * 60_000)
  const response = await player.client.post(`${path}/extend`)
  const stop = new Date(Date.parse(expectStopAt) + 120 * 60_000)
  expect(response.json()).toMatchObject({ status: 'Running', entry, expectStopAt: stop.toISOString() })
  expect(context.runtime.specs.get(entry)?.expiresAt).toEqual(stop)
})

test('a container can be extended and stopped even if its challenge no longer has an image', async () => {
  const { challenge, player, path } = await aPlayedChallenge()
  await player.client.post(path)
  await context.sql`update challenges set container_image = '', exposed_port = 0 where id = ${challenge.id}`
  context.clock.advanceMs(110 * 60_000)
  expect((await player.client.post(`${path}/extend`)).statusCode).toBe(200)
  expect((await player.client.delete(path)).statusCode).toBe(200)
  expect(await liveOf(player.participation.id)).toHaveLength(0)
  context.clock.advanceMs(10_000)
  expect((await player.client.post(path)).json().code).toBe('instance.not-configured')
})

test('a stop during a start also causes a cool-down of 10 s', async () => {
  context.runtime.become(pending)
  const { challenge, player, path } = await aPlayedChallenge()
  const start = startAt(0, player.client, path)
  await expect.poll(async () => (await rowsOf(challenge.id)).some(({ id }) => context.runtime.specs.has(id))).toBe(true)
  context.clock.advanceMs(10_000)
  expect((await player.client.delete(path)).statusCode).toBe(200)
  expect((await start).json().code).toBe('instance.failed')
  context.runtime.become(readyStateOf)
  expect((await player.client.post(path)).json().code).toBe('instance.cooldown')
  context.clock.advanceMs(10_000)
  expect((await player.client.post(path)).statusCode).toBe(200)
})

test('an extension is refused if there is no container', async () => {
  const { player, path } = await aPlayedChallenge()
  const response = await player.client.post(`${path}/extend`)
  expect([response.statusCode, response.json().code]).toEqual([400, 'instance.none'])
})

test('the limit of the game counts the containers of all challenges of a team', async () => {
  const game = await aGame(context.db, { containerCountLimit: 1 })
  const [first, second] = [await aContainerChallenge({ gameId: game.id }), await aContainerChallenge({ gameId: game.id })]
  const player = await aPlayer(context, { gameId: game.id })
  await player.client.post(pathOf(first))
  const response = await player.client.post(pathOf(second))
  expect([response.statusCode, response.json().code]).toEqual([400, 'instance.limit'])
  const other = await aPlayer(context, { gameId: game.id })
  expect((await other.client.post(pathOf(second))).statusCode).toBe(200)
})

test('at the limit, a start replaces the oldest container if auto-destroy is on', async () => {
  const game = await aGame(context.db, { containerCountLimit: 2 })
  const list = [1, 2, 3].map(() => aContainerChallenge({ gameId: game.id }))
  const challenges = await Promise.all(list)
  const player = await aPlayer(context, { gameId: game.id })
  await setPolicy({ autoDestroyOnLimitReached: true })
  for (const challenge of challenges) {
    expect((await player.client.post(pathOf(challenge))).statusCode).toBe(200)
    context.clock.advanceMs(1_000)
  }
  await setPolicy({})
  const live = (await liveOf(player.participation.id)).map(({ challenge_id }) => challenge_id)
  expect(live.sort()).toEqual([challenges[1]!.id, challenges[2]!.id].sort())
  expect((await eventsOf(game.id)).map(({ type, values }) => [type, values[0]])).toEqual([
    ['ContainerStart', String(challenges[0]!.id)],
    ['ContainerStart', String(challenges[1]!.id)],
    ['ContainerDestroy', String(challenges[0]!.id)],
    ['ContainerStart', String(challenges[2]!.id)],
  ])
})

test('lifetime, extension and renewal window come from the settings', async () => {
  await setPolicy({ defaultLifetime: 30, extensionDuration: 15, renewalWindow: 20 })
  const { player, path } = await aPlayedChallenge()
  const { startedAt, expectStopAt } = (await player.client.post(path)).json()
  expect(Date.parse(expectStopAt) - Date.parse(startedAt)).toBe(30 * 60_000)
  context.clock.advanceMs(10 * 60_000)
  const extended = (await player.client.post(`${path}/extend`)).json()
  expect(Date.parse(extended.expectStopAt) - Date.parse(startedAt)).toBe(45 * 60_000)
  await setPolicy({})
})

test.each([
  ['a disabled challenge', { isEnabled: false }, 404, 'challenge.unknown'],
  ['a challenge without a container', { type: 'StaticAttachment' }, 400, 'instance.type'],
  ['a challenge without an image', { containerImage: '' }, 400, 'instance.not-configured'],
] as const)('a start is refused for %s', async (_name, values, status, code) => {
  const { player, path } = await aPlayedChallenge(values)
  const response = await player.client.post(path)
  expect([response.statusCode, response.json().code]).toEqual([status, code])
})

test('a start is refused by the first failing check in the documented order', async () => {
  const statusOf = async (
    gameId: number,
    player: { client: { post: (url: string) => Promise<{ statusCode: number; json: () => { status: number } }> } },
  ) => {
    const response = await player.client.post(`/api/game/${gameId}/container/99999`)
    return [response.statusCode, response.json().status]
  }
  const before = await aGame(context.db, { phase: 'upcoming' })
  const over = await aPastGame(context.db, { practiceMode: false })
  const practice = await aPastGame(context.db, { practiceMode: true })
  const stranger = await aPlayer(context)
  expect((await context.app.inject({ method: 'POST', url: `/api/game/${before.id}/container/1` })).statusCode).toBe(401)
  expect(await statusOf(99_999, stranger)).toEqual([404, 404])
  expect(await statusOf(before.id, stranger)).toEqual([400, 400])
  expect(await statusOf(before.id, await aPlayer(context, { gameId: before.id, status: 'Suspended' }))).toEqual([400, 400])
  expect(await statusOf(before.id, await aPlayer(context, { gameId: before.id }))).toEqual([400, 10001])
  expect(await statusOf(over.id, await aPlayer(context, { gameId: over.id }))).toEqual([400, 10002])
  expect(await statusOf(practice.id, await aPlayer(context, { gameId: practice.id }))).toEqual([404, 404])
})

test('exactly 3 of 100 concurrent starts of 10 challenges succeed if the limit is 3', async () => {
  const game = await aGame(context.db, { containerCountLimit: 3 })
  const challenges = await Promise.all(Array.from({ length: 10 }, () => aContainerChallenge({ gameId: game.id })))
  const player = await aPlayer(context, { gameId: game.id })
  const mates = await Promise.all([1, 2].map(() => aTeamMate(context, player)))
  const clients = [player.client, ...mates.map(({ client }) => client)]
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => clients[index % 3]!.post(pathOf(challenges[index % 10]!))),
  )
  const entries = answers.filter(({ statusCode }) => statusCode === 200).map((answer) => answer.json().entry)
  expect(new Set(entries).size).toBe(3)
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 400]))
  expect(await liveOf(player.participation.id)).toHaveLength(3)
})

test('30 concurrent starts of one challenge by three users in two processes create one container, and all responses contain this container', async () => {
  context.runtime.become(pending)
  const { challenge, player, path } = await aPlayedChallenge()
  const mates = await Promise.all([1, 2].map(() => aTeamMate(context, player)))
  const clients = [player.client, ...mates.map(({ client }) => client)]
  const { watching } = context.runtime
  const answers = Promise.all(Array.from({ length: 30 }, (_, index) => startAt(index % 2, clients[index % 3]!, path)))
  await expect.poll(() => context.runtime.watching).toBe(watching + 30)
  const [row] = await rowsOf(challenge.id)
  context.runtime.setState(row?.id, { kind: 'ready', host: '10.0.0.1', port: 8080 })
  for (const answer of await answers)
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { status: 'Running', entry: row?.id }])
  expect(await rowsOf(challenge.id)).toHaveLength(1)
  expect(await eventsOf(challenge.gameId)).toHaveLength(1)
})

test('a second start waits for the first start, and both fail if the container fails', async () => {
  context.runtime.become(pending)
  const { challenge, player, path } = await aPlayedChallenge()
  const { client: mate } = await aTeamMate(context, player)
  const { watching } = context.runtime
  const starts = [startAt(0, player.client, path), startAt(0, mate, path)]
  await expect.poll(() => context.runtime.watching).toBe(watching + 2)
  const [row] = await rowsOf(challenge.id)
  context.runtime.setState(row?.id, { kind: 'failed', reason: 'ImagePullFailed', message: 'The image could not be pulled.' })
  for (const answer of await Promise.all(starts))
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'instance.failed'])
  expect(await liveOf(player.participation.id)).toHaveLength(0)
  expect(context.runtime.specs.has(row?.id)).toBe(false)
  expect(await eventsOf(challenge.gameId)).toHaveLength(0)
})

test('a start after a Pending response waits again, and a start of a ready container is refused', async () => {
  context.runtime.become(pending)
  const { challenge, player, path } = await aPlayedChallenge()
  const { entry } = (await player.client.post(path)).json()
  const { watching } = context.runtime
  const again = startAt(0, player.client, path)
  await expect.poll(() => context.runtime.watching).toBe(watching + 1)
  context.runtime.setState(entry, { kind: 'ready', host: '10.0.0.1', port: 8080 })
  expect((await again).json()).toMatchObject({ status: 'Running', entry })
  expect((await player.client.post(path)).json().code).toBe('instance.running')
  expect(await eventsOf(challenge.gameId)).toHaveLength(1)
})

/** Creates the state that a process leaves if it crashes after the first step of a start. */
async function aBrokenStart(values: Partial<Parameters<typeof anInstance>[1]> = {}) {
  const scene = await aPlayedChallenge({ type: 'DynamicContainer', flagTemplate: 'flag{[GUID]}' })
  const { challenge, player } = scene
  const now = context.clock.now()
  const common = { gameId: challenge.gameId, challengeId: challenge.id, participationId: player.participation.id }
  const row = await anInstance(context.db, {
    ...common,
    ...{ status: 'Pending', host: null, port: null, startedAt: now, answeredAt: null },
    ...values,
  })
  await context.sql`
    insert into assignments (participation_id, challenge_id, flag, last_instance_operation_at)
    values (${common.participationId}, ${common.challengeId}, 'flag{given}', ${now.toISOString()})
    on conflict (participation_id, challenge_id) do update set flag = excluded.flag,
      last_instance_operation_at = excluded.last_instance_operation_at`
  return { ...scene, row }
}

function makeObject({ id, gameId, challengeId, expiresAt }: Awaited<ReturnType<typeof anInstance>>) {
  return context.runtime.runtime.create(
    anInstanceSpec({ id, gameId, challengeId, expiresAt, containers: [anEntryContainer({ port: 80 })] }),
  )
}

test("after a crash before the container is created, the next start uses the team's stored flag", async () => {
  const { challenge, player, path, row } = await aBrokenStart()
  const response = await player.client.post(path)
  expect([response.statusCode, response.json()]).toMatchObject([200, { status: 'Running', entry: row.id }])
  expect(context.runtime.specs.get(row.id)?.flag).toBe('flag{given}')
  expect(await rowsOf(challenge.id)).toHaveLength(1)
  expect(await eventsOf(challenge.gameId)).toEqual([{ type: 'ContainerStart', values: [String(challenge.id), 'Shop'] }])
  expect((await player.client.post(path)).json().code).toBe('instance.running')
})

test('after a crash of the api during a start, the next start returns the running container', async () => {
  const { player, path, row } = await aBrokenStart({ status: 'Running', host: '10.0.0.1', port: 80 })
  await makeObject(row)
  const response = await player.client.post(path)
  expect([response.statusCode, response.json()]).toMatchObject([200, { status: 'Running', entry: row.id }])
  expect((await player.client.post(path)).json().code).toBe('instance.running')
})

test('a failed start causes no cool-down if its caller received no response', async () => {
  const { challenge, player, path, row } = await aBrokenStart()
  await makeObject(row)
  context.runtime.setState(row.id, { kind: 'failed', reason: 'CrashLooping', message: 'It crashes.' })
  const response = await player.client.post(path)
  expect([response.statusCode, response.json().status]).toEqual([200, 'Running'])
  expect(response.json().entry).not.toBe(row.id)
  const states = (await rowsOf(challenge.id)).map(({ id, status }) => [id, status])
  expect(new Map(states as [string, string][])).toEqual(
    new Map([
      [row.id, 'Destroyed'],
      [response.json().entry, 'Running'],
    ]),
  )
})

test('no container runs if its challenge is disabled during the start', async () => {
  const challenge = await aContainerChallenge()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const players = await Promise.all(Array.from({ length: 10 }, () => aPlayer(context, { gameId: challenge.gameId })))
  const starts = players.map(({ client }) => client.post(pathOf(challenge)))
  const disabled = admin.put(`/api/edit/games/${challenge.gameId}/challenges/${challenge.id}`, { isEnabled: false })
  const answers = await Promise.all([disabled, ...starts])
  expect(answers.every(({ statusCode }) => [200, 400, 404].includes(statusCode))).toBe(true)
  expect((await rowsOf(challenge.id)).filter(({ ended_at }) => ended_at === null)).toHaveLength(0)
})

test('admins see the containers of teams, oldest first, and no test containers', async () => {
  await context.sql`update instances set ended_at = now() where ended_at is null`
  const { challenge, player } = await aPlayedChallenge()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const ids = { gameId: challenge.gameId, challengeId: challenge.id }
  await anInstance(context.db, ids)
  const team = await anInstance(context.db, {
    ...ids,
    participationId: player.participation.id,
    startedAt: new Date('2026-01-02T03:04:05Z'),
  })
  const page = (await admin.get('/api/admin/instances')).json()
  expect(page).toEqual({
    data: [
      {
        team: { id: player.team.id, name: player.team.name, avatar: null },
        challenge: { id: challenge.id, title: 'Shop', category: 'Misc' },
        image: 'demo',
        containerGuid: team.id,
        containerId: deriveInstanceName(team.id),
        startedAt: '2026-01-02T03:04:05.000Z',
        expectStopAt: team.expiresAt.toISOString(),
        ip: '10.0.0.1',
        port: 80,
      },
    ],
    length: 1,
    total: 1,
  })
})

test('admins see the state of each container and the reason of the state', async () => {
  await context.sql`update instances set ended_at = now() where ended_at is null`
  const { player, path } = await aPlayedChallenge()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const { entry } = (await player.client.post(path)).json()
  const states = async () => (await admin.get('/api/admin/instances/states')).json()
  expect(await states()).toEqual([{ id: entry, state: 'Running', message: null, reason: null }])
  context.runtime.setState(entry, { kind: 'failed', reason: 'Crashed', message: 'The challenge stopped unexpectedly.' })
  expect(await states()).toEqual([
    { id: entry, state: 'Failing', message: 'The challenge stopped unexpectedly.', reason: 'Crashed' },
  ])
  await admin.delete(`/api/admin/instances/${entry}`)
  expect(await states()).toEqual([])
})

test('admins see measured usage with limits, cached for five seconds; containers without a measurement are omitted', async () => {
  const { player, path } = await aPlayedChallenge({ cpuTenths: 5, memoryMb: 128 })
  const unmeasured = await aPlayedChallenge()
  await unmeasured.player.client.post(unmeasured.path)
  const { entry } = (await player.client.post(path)).json()
  const usage = { cpuMillicores: 120, memoryBytes: 50_000_000 }
  context.runtime.usages.set(entry, usage).set('00000000-0000-4000-8000-000000000000', usage)
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const read = async () => (await admin.get('/api/admin/instances/usage')).json()
  const limits = { cpuLimitMillicores: 500, memoryLimitBytes: 134_217_728 }
  const shown = { id: entry, ...usage, ...limits }
  expect(await read()).toEqual([shown])
  context.runtime.usages.set(entry, { ...usage, cpuMillicores: 480 })
  expect(await read()).toEqual([shown])
  context.clock.advanceMs(5_000)
  expect(await read()).toEqual([{ ...shown, cpuMillicores: 480 }])
  context.runtime.usages.clear()
  context.clock.advanceMs(5_000)
  expect(await read()).toEqual([])
})

test('the api stores no event when an admin destroys a container, and returns 404 for an unknown container', async () => {
  const { challenge, player, path } = await aPlayedChallenge()
  const { entry } = (await player.client.post(path)).json()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  expect((await admin.delete(`/api/admin/instances/${entry}`)).statusCode).toBe(200)
  expect(context.runtime.specs.has(entry)).toBe(false)
  expect(await liveOf(player.participation.id)).toHaveLength(0)
  expect(await eventsOf(challenge.gameId)).toHaveLength(1)
  expect((await admin.delete(`/api/admin/instances/${entry}`)).statusCode).toBe(404)
  expect((await admin.delete('/api/admin/instances/00000000-0000-4000-8000-000000000000')).statusCode).toBe(404)
})

test.each(['User', 'Monitor'] as const)('a %s can neither list nor destroy containers', async (role) => {
  const { client } = await signInAsNewUser(context, role)
  expect((await client.get('/api/admin/instances')).statusCode).toBe(403)
  expect((await client.get('/api/admin/instances/usage')).statusCode).toBe(403)
  expect((await client.delete('/api/admin/instances/00000000-0000-4000-8000-000000000000')).statusCode).toBe(403)
  expect((await client.post('/api/edit/games/1/challenges/1/container')).statusCode).toBe(403)
})

test('an organizer tests a disabled challenge for two hours with a test flag, and a second test replaces the first', async () => {
  const challenge = await aContainerChallenge({ type: 'DynamicContainer', isEnabled: false })
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const path = `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}/container`
  const first = (await admin.post(path)).json()
  expect(Date.parse(first.expectStopAt) - Date.parse(first.startedAt)).toBe(120 * 60_000)
  expect(context.runtime.specs.get(first.entry)).toMatchObject({
    teamId: undefined,
    participationId: undefined,
    flag: 'flag{this_is_a_test_flag}',
    capture: false,
  })
  const second = (await admin.post(path)).json()
  expect(second.entry).not.toBe(first.entry)
  expect(context.runtime.specs.has(first.entry)).toBe(false)
  const edit = (await admin.get(path.replace(/\/container$/, ''))).json()
  expect(edit.testContainer).toEqual(second)
  expect(await eventsOf(challenge.gameId)).toHaveLength(0)
  expect((await admin.delete(path)).statusCode).toBe(200)
  expect(context.runtime.specs.has(second.entry)).toBe(false)
  expect((await admin.delete(path)).statusCode).toBe(200)
})

test('a test start while its game is being deleted neither deadlocks nor blocks the deletion', async () => {
  const challenge = await aContainerChallenge({ isEnabled: false })
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const waiting = () => context.sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  let start: ReturnType<typeof admin.post> | undefined
  await context.sql.begin(async (sql) => {
    await sql`select 1 from games where id = ${challenge.gameId} for update`
    start = admin.post(`/api/edit/games/${challenge.gameId}/challenges/${challenge.id}/container`)
    await expect.poll(waiting).toHaveLength(1)
    await sql`select 1 from challenges where id = ${challenge.id} for update nowait`
  })
  expect((await start)?.statusCode).toBe(200)
})

test('organizers see the steps of a test start, and afterwards the reason of its failure', async () => {
  const challenge = await aContainerChallenge({ isEnabled: false })
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const path = `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}/container`
  const report = async () => (await admin.get(`${path}/log`)).json()
  const steps = async () =>
    (await report()).steps.map(({ state, message }: { state: string; message: string | null }) => [state, message])
  expect(await report()).toEqual({ hasRun: false, steps: [], instanceId: null })
  await admin.post(path)
  expect((await report()).hasRun).toBe(true)
  expect(await steps()).toEqual([
    ['Requested', null],
    ['Ready', null],
  ])
  await admin.delete(path)
  expect((await steps()).at(-1)).toEqual(['Stopped', null])
  expect((await report()).hasRun).toBe(true)
  await admin.put(path.replace(/\/container$/, ''), { containerImage: 'example.org/never:tested' })
  expect((await report()).hasRun).toBe(false)
  context.clock.advanceMs(1_000)
  context.runtime.become(() => ({ kind: 'failed', reason: 'ImagePullFailed', message: 'There is no such image.' }))
  expect((await admin.post(path)).json().code).toBe('instance.failed')
  context.runtime.become(readyStateOf)
  expect(await steps()).toEqual([
    ['Requested', null],
    ['Failed', 'There is no such image.'],
  ])
  // The failed instance remains, so that its containers can be inspected, until the organizer stops it.
  const { instanceId } = await report()
  expect(context.runtime.specs.has(instanceId)).toBe(true)
  const { containers } = (await admin.get(`/api/admin/instances/${instanceId}/containers`)).json()
  expect(containers).toMatchObject([{ isReady: false, reason: 'ImagePullFailed' }])
  expect((await admin.get(path.replace(/\/container$/, ''))).json().testContainer.status).toBe('Pending')
  expect((await admin.delete(path)).statusCode).toBe(200)
  expect(await report()).toMatchObject({ instanceId: null })
  expect(context.runtime.specs.has(instanceId)).toBe(false)
  expect((await admin.get(`/api/edit/games/${challenge.gameId}/challenges/99999/container/log`)).json().code).toBe(
    'challenge.unknown',
  )
})

test('a test start is refused if the challenge has no container, and returns 404 if the challenge is unknown', async () => {
  const challenge = await aChallenge(context.db, { type: 'StaticAttachment' })
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const path = (id: number) => `/api/edit/games/${challenge.gameId}/challenges/${id}/container`
  expect((await admin.post(path(challenge.id))).json().code).toBe('instance.type')
  expect((await admin.post(path(99_999))).statusCode).toBe(404)
  expect((await admin.delete(path(99_999))).statusCode).toBe(404)
})

test('in direct mode, a start returns host and port, with the public host if it is configured', async () => {
  const direct = await startTestApp({ exposure: 'Direct' })
  const challenge = await aChallenge(direct.db, { type: 'StaticContainer', containerImage: 'shop:1', port: 31_000 })
  const player = await aPlayer(direct, { gameId: challenge.gameId })
  expect((await player.client.post(pathOf(challenge))).json().entry).toBe('10.0.0.1:31000')
  await direct.close()
})

test('an instance retains its exposure after the platform changes the setting', async () => {
  const instances = readConfig({ ...requiredEnvironment, CAPSTAN_INSTANCE_PUBLIC_HOST: 'play.example.org' }).instances
  const ends = [
    { platform: 'Direct', made: 'Proxy', listed: '10.0.0.1:8080' },
    { platform: 'Proxy', made: 'Direct', listed: 'play.example.org:31000' },
    { platform: 'Direct', made: null, listed: 'play.example.org:31000' },
  ] as const
  for (const { platform, made, listed } of ends) {
    const app = await startTestApp({ exposure: platform, config: { instances, internalToken: 'shared secret' } })
    const challenge = await aChallenge(app.db, { type: 'StaticContainer', containerImage: 'shop:1', port: 8080 })
    const player = await aPlayer(app, { gameId: challenge.gameId, challengeIds: [challenge.id] })
    const port = made === 'Proxy' ? 8080 : 31_000
    const ids = { gameId: challenge.gameId, challengeId: challenge.id, exposure: made, port }
    const { id } = await anInstance(app.db, { ...ids, participationId: player.participation.id })
    const test = await anInstance(app.db, ids)
    const entryOf = (row: string) => (made === 'Proxy' ? row : listed)

    const view = (await player.client.get(`/api/game/${challenge.gameId}/challenges/${challenge.id}`)).json()
    expect(view.context.instanceEntry).toBe(entryOf(id))
    await app.sql`update instances set expires_at = ${app.clock.now().toISOString()}::timestamptz + interval '1 minute' where id = ${id}`
    expect((await player.client.post(`${pathOf(challenge)}/extend`)).json().entry).toBe(entryOf(id))
    const { client: admin } = await signInAsNewUser(app, 'Admin')
    const edited = (await admin.get(`/api/edit/games/${challenge.gameId}/challenges/${challenge.id}`)).json()
    expect(edited.testContainer.entry).toBe(entryOf(test.id))
    const [entry] = (await admin.get('/api/admin/instances')).json().data
    expect(`${entry.ip}:${entry.port}`).toBe(listed)
    const headers = { authorization: 'Bearer shared secret' }
    const target = (await player.client.inject({ url: `/internal/proxy/${id}`, headers })).json()
    const ready = { state: 'ready', host: '10.0.0.1', port: 8080, kind: 'team' }
    expect(target).toEqual(made === 'Proxy' ? ready : { state: 'proxy-off' })
    await app.close()
  }
})

describe('another process that misses messages and has a delayed watch', () => {
  /**
   * Starts a process that misses messages and has a delayed watch.
   * @returns the app, its gateway backend, and a map with the instances that the process sees
   */
  const aProcessBehind = async () => {
    const { runtime } = context.runtime
    const seen = new Map<string, ObservedInstance>()
    const bus = createInProcessBus()
    const behind: InstanceRuntime = {
      ...runtime,
      find: (id) => seen.get(id),
      list: () => [...seen.values()],
      async exists(id) {
        const found = runtime.find(id)
        if (found) seen.set(id, found)
        return found !== undefined
      },
    }
    const app = await buildApp({ ...context.deps, runtime: behind, bus })
    await app.ready()
    onTestFinished(async () => {
      await app.close()
      await bus.close()
    })
    return { app, seen, gateway: createGatewayBackend(app) }
  }

  test('all api processes report the address of a new instance at the same time', async () => {
    const { gateway: behind } = await aProcessBehind()
    const { player, path } = await aPlayedChallenge()
    context.runtime.become(pending)
    const { entry, status } = (await player.client.post(path)).json()
    expect(status).toBe('Pending')
    const asked = () => Promise.all([context.gatewayBackend.proxyTarget(entry), behind.proxyTarget(entry)])
    const starting = { state: 'unreachable', kind: 'team' }
    expect(await asked()).toEqual([starting, starting])
    context.runtime.setState(entry, { kind: 'ready', host: '10.0.0.1', port: 8080 })
    expect(await asked()).toEqual([starting, starting])
    await createInstanceReconciler({ ...context.deps, log: { warn() {}, info() {} } }).repair()
    const there = { state: 'ready', host: '10.0.0.1', port: 8080, kind: 'team' }
    expect(await asked()).toEqual([there, there])
  })

  test('if the watch of a process is delayed, a request to the process waits until the watch is up to date', async () => {
    const { gateway: behind, seen } = await aProcessBehind()
    const { player, path } = await aPlayedChallenge()
    const { entry, status } = (await player.client.post(path)).json()
    expect(status).toBe('Running')
    const now = context.runtime.runtime.find(entry)!
    seen.set(entry, { ...now, state: { kind: 'pending', reason: 'Created', message: 'Created' } })
    const target = behind.proxyTarget(entry)
    // Show the new state only after the first attempt has read the old state.
    setTimeout(() => seen.set(entry, now), 50)
    expect(await target).toEqual({ state: 'ready', host: '10.0.0.1', port: 8080, kind: 'team' })
  })

  test('an api process refuses to start an instance that another api process has already started', async () => {
    const { app } = await aProcessBehind()
    const { player, path, challenge } = await aPlayedChallenge()
    const { entry } = (await player.client.post(path)).json()
    context.clock.advanceMs(60_000)
    const cookies = Object.fromEntries(player.client.cookies)
    expect((await app.inject({ method: 'POST', url: path, cookies })).json().code).toBe('instance.running')
    expect(await rowsOf(challenge.id)).toMatchObject([{ id: entry, status: 'Running', ended_at: null }])
  })
})

test.each<[string, Parameters<TestApp['runtime']['become']>[0], number]>([
  ['ready', readyStateOf, 200],
  ['failed', () => ({ kind: 'failed', reason: 'Crash', message: 'Crash' }), 400],
])(
  'a team can start only a limited number of instances at once, and one more instance after 3 s (%s instances)',
  async (_what, state, status) => {
    const limited = await startTestApp({ config: { rateLimits: true }, deps: { sleep: async () => {} } })
    onTestFinished(() => limited.close())
    await limited.sql`insert into platform_settings (section, value)
    values ('containerPolicy', '{"autoDestroyOnLimitReached": true}'::jsonb)`
    const game = await aGame(limited.db)
    const challenges = await Promise.all(
      Array.from({ length: RateLimits.instanceStart.capacity + 2 }, () =>
        aChallenge(limited.db, { gameId: game.id, type: 'StaticContainer', containerImage: 'shop:1', port: 80 }),
      ),
    )
    const challengeIds = challenges.map(({ id }) => id)
    const [player, rival] = [
      await aPlayer(limited, { gameId: game.id, challengeIds }),
      await aPlayer(limited, { gameId: game.id, challengeIds }),
    ]
    let created = 0
    limited.runtime.become((spec) => {
      created += 1
      return state(spec)
    })
    const starts = []
    for (const challenge of challenges) starts.push(await player.client.post(pathOf(challenge)))
    const { capacity } = RateLimits.instanceStart
    expect(starts.map(({ statusCode }) => statusCode)).toEqual([...Array.from({ length: capacity }, () => status), 429, 429])
    expect([created, starts.at(-1)!.headers['retry-after']]).toEqual([capacity, expect.stringMatching(/^[1-3]$/)])
    expect((await rival.client.post(pathOf(challenges[0]!))).statusCode).toBe(status)
    limited.clock.advanceMs(RateLimits.instanceStart.refillSeconds * 1_000)
    expect((await player.client.post(pathOf(challenges.at(-1)!))).statusCode).toBe(status)
    expect((await player.client.post(pathOf(challenges.at(-2)!))).statusCode).toBe(429)
  },
)
