import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readyStateOf, startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, aGame, anInstance, aParticipation } from '../../testing/organizing-factories.ts'
import { storeInstanceAddress } from './address.ts'
import { createInstanceReconciler } from './reconciler.ts'
import type { InstanceSpec } from './runtime.ts'
import { anEntryContainer, anInstanceSpec } from './testing/instance-spec.ts'

let context: TestApp
let stop: (() => Promise<void>) | undefined
const statements: string[] = []
beforeAll(async () => {
  context = await startTestApp({ observe: (text) => void statements.push(text) })
})
afterAll(() => context.close())
beforeEach(async () => {
  context.runtime.become(readyStateOf)
  await context.sql`delete from instances`
  for (const id of context.runtime.specs.keys()) await context.runtime.runtime.delete(id)
})
afterEach(async () => {
  await stop?.()
  stop = undefined
})

const silent = { warn: () => {}, info: () => {} }
function aReconciler() {
  return createInstanceReconciler({ ...context.deps, log: silent })
}

/** Creates a live row of a team that is allowed to play. */
async function aRow(values: Partial<Parameters<typeof anInstance>[1]> = {}, game: Parameters<typeof aGame>[1] = {}) {
  const { id: gameId } = await aGame(context.db, game)
  const challenge = await aChallenge(context.db, { gameId, type: 'StaticContainer', containerImage: 'shop:1' })
  const participation = await aParticipation(context.db, { gameId })
  const row = await anInstance(context.db, {
    gameId,
    challengeId: challenge.id,
    participationId: participation.id,
    startedAt: new Date(context.clock.now().getTime() - 60_000),
    ...values,
  })
  return { row, challenge, participation }
}

function specOf({
  id,
  gameId,
  challengeId,
  expiresAt,
}: Pick<InstanceSpec, 'id' | 'gameId' | 'challengeId' | 'expiresAt'>): InstanceSpec {
  return anInstanceSpec({ id, gameId, challengeId, expiresAt, containers: [anEntryContainer({ port: 80 })] })
}

async function find(id: string) {
  return (await context.sql`select * from instances where id = ${id}`)[0]
}
async function isLive(id: string) {
  return (await find(id))?.ended_at === null
}
function hasObject(id: string) {
  return context.runtime.specs.has(id)
}

test('the repair closes a row whose object does not exist', async () => {
  const { row } = await aRow()
  await aReconciler().repair()
  expect(await isLive(row.id)).toBe(false)
  await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: row.id })
})

test('the reconciler retains the row of an instance if a query to the runtime finds the object', async () => {
  const { row } = await aRow()
  const runtime = { ...context.runtime.runtime, exists: async (id: string) => id === row.id }
  await createInstanceReconciler({ ...context.deps, runtime, log: silent }).repair()
  expect(await isLive(row.id)).toBe(true)
})

test('the repair retains a new row, because its object may still be created', async () => {
  const { row } = await aRow({ startedAt: context.clock.now(), status: 'Pending' })
  await aReconciler().repair()
  expect(await isLive(row.id)).toBe(true)
})

test('the repair deletes an object that has no live row', async () => {
  const { row } = await aRow({ endedAt: new Date() })
  const stray = '5c1a1a52-6d1c-4e4f-9a4e-000000000001'
  await context.runtime.runtime.create(specOf(row))
  await context.runtime.runtime.create({ ...specOf(row), id: stray })
  await aReconciler().repair()
  expect([hasObject(row.id), hasObject(stray)]).toEqual([false, false])
})

test('the repair retains a row and its object if both exist', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  await aReconciler().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([true, true])
})

test('the repair changes nothing before the runtime has listed all objects', async () => {
  const { row } = await aRow()
  const runtime = { ...context.runtime.runtime, list: () => undefined }
  await createInstanceReconciler({ ...context.deps, runtime, log: silent }).repair()
  expect(await isLive(row.id)).toBe(true)
})

test('the repair ends an instance after its end time', async () => {
  const { row } = await aRow({ expiresAt: new Date(context.clock.now().getTime() - 11_000) })
  await context.runtime.runtime.create(specOf(row))
  await aReconciler().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([false, false])
})

test('the reconciler corrects an object whose end time is earlier than the end time in the database', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create({ ...specOf(row), expiresAt: new Date(row.expiresAt.getTime() - 60_000) })
  await aReconciler().repair()
  expect(context.runtime.specs.get(row.id)?.expiresAt).toEqual(row.expiresAt)
})

test('the repair restores the end time of an object after a change by hand', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create({ ...specOf(row), expiresAt: new Date(row.expiresAt.getTime() + 86_400_000) })
  await aReconciler().repair()
  expect(context.runtime.specs.get(row.id)?.expiresAt).toEqual(row.expiresAt)
})

test('the reconciler does not overwrite an end time that a player extends at the same time', async () => {
  const { row } = await aRow()
  const extended = new Date(row.expiresAt.getTime() + 3_600_000)
  const { runtime } = context.runtime
  await runtime.create({ ...specOf(row), expiresAt: new Date(row.expiresAt.getTime() + 86_400_000) })
  let isFirst = true
  const extend = async (id: string, expiresAt: Date) => {
    if (isFirst) {
      isFirst = false
      await context.sql`update instances set expires_at = ${extended.toISOString()}::timestamptz where id = ${id}`
      await runtime.extend(id, extended)
    }
    await runtime.extend(id, expiresAt)
  }
  await createInstanceReconciler({ ...context.deps, runtime: { ...runtime, extend }, log: silent }).repair()
  expect(context.runtime.specs.get(row.id)?.expiresAt).toEqual(extended)
})

test('the repair marks an instance as Running if it became ready without an event', async () => {
  const { row } = await aRow({ status: 'Pending', host: null, port: null })
  await context.runtime.runtime.create(specOf(row))
  await aReconciler().repair()
  expect(await find(row.id)).toMatchObject({ status: 'Running', host: '10.0.0.1', port: 80 })
})

test('the reconciler copies `exposure` from the object to the row of the instance', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  const runtime: typeof context.runtime.runtime = {
    ...context.runtime.runtime,
    find: (id) => {
      const found = context.runtime.runtime.find(id)
      return found && { ...found, exposure: 'Direct' }
    },
  }
  await createInstanceReconciler({ ...context.deps, runtime, log: silent }).repair()
  expect(await find(row.id)).toMatchObject({ status: 'Running', exposure: 'Direct' })
})

test.each([
  ['the challenge is disabled', 'update challenges set is_enabled = false where id = $1'],
  ['the team is suspended', "update participations set status = 'Suspended' where id = $2"],
  [
    'the game is over without practice',
    "update games set ends_at = now() - interval '1 minute', starts_at = now() - interval '1 hour', practice_mode = false where id = $3",
  ],
])('ends an instance if %s', async (_name, statement) => {
  const { row, challenge, participation } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  const parameters = [challenge.id, participation.id, row.gameId]
  const used = parameters[Number(/\$(\d)/.exec(statement)?.[1]) - 1]!
  await context.sql.unsafe(statement.replace(/\$\d/, '$1'), [used])
  await aReconciler().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([false, false])
})

test('the repair retains an instance after the end of a game that has a practice mode', async () => {
  const { row } = await aRow({}, { phase: 'ended', practiceMode: true })
  await context.runtime.runtime.create(specOf(row))
  await aReconciler().repair()
  expect(await isLive(row.id)).toBe(true)
})

test('if the repair of one instance fails, the repair continues with all other instances', async () => {
  const broken = await aRow({ expiresAt: new Date(0) })
  const other = await aRow()
  const runtime = {
    ...context.runtime.runtime,
    find: (id: string) => {
      if (id === broken.row.id) throw new Error('Cannot tell')
      return context.runtime.runtime.find(id)
    },
  }
  await createInstanceReconciler({ ...context.deps, runtime, log: silent }).repair()
  expect(await isLive(other.row.id)).toBe(false)
})

test('two api processes can reconcile instances at the same time', async () => {
  const { row } = await aRow()
  const { row: running } = await aRow()
  await context.runtime.runtime.create(specOf(running))
  await Promise.all([aReconciler().repair(), aReconciler().repair()])
  expect([await isLive(row.id), await isLive(running.id)]).toEqual([false, true])
})

test('a row is closed at once when its object is deleted', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  stop = aReconciler().start()
  await context.runtime.runtime.delete(row.id)
  await expect.poll(() => isLive(row.id)).toBe(false)
})

function at(host: string) {
  return { kind: 'ready', host, port: 80 } as const
}
function movesOf(id: string) {
  return context.messages.filter((message) => message.kind === 'instance-moved' && message.instanceId === id)
}

test('a new address is written, and gateways are notified to close connections to the old address', async () => {
  const { row } = await aRow({ host: '10.0.0.1', port: 80 })
  await context.runtime.runtime.create(specOf(row))
  stop = aReconciler().start()
  context.runtime.setState(row.id, at('10.0.0.2'))
  await expect.poll(() => find(row.id)).toMatchObject({ host: '10.0.0.2', port: 80 })
  const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.1', port: 80 } }
  await expect.poll(() => movesOf(row.id)).toEqual([moved])
})

test('the loss of an address is published, but not a restart at the same address', async () => {
  const { row } = await aRow({ host: '10.0.0.1', port: 80 })
  const { row: silent } = await aRow({ host: '10.0.0.3', port: 80 })
  for (const each of [row, silent]) {
    context.runtime.become(() => at(each.host!))
    await context.runtime.runtime.create(specOf(each))
  }
  stop = aReconciler().start()
  const restarting = { kind: 'pending', reason: 'Restarting', message: 'It restarts.' } as const
  context.runtime.setState(silent.id, { ...restarting, address: { host: '10.0.0.3', port: 80 } })
  context.runtime.setState(row.id, restarting)
  await expect.poll(() => movesOf(row.id)).not.toEqual([])
  expect(movesOf(silent.id)).toEqual([])
})

test('the reconciler publishes an address change that no event has reported', async () => {
  const { row } = await aRow({ host: '10.0.0.7', port: 80 })
  context.runtime.become(() => at('10.0.0.8'))
  await context.runtime.runtime.create(specOf(row))
  await aReconciler().repair()
  expect(await find(row.id)).toMatchObject({ host: '10.0.0.8' })
  const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.7', port: 80 } }
  await expect.poll(() => movesOf(row.id)).toEqual([moved])
})

test('after many quick address changes, the last address is stored', async () => {
  const { row } = await aRow({ host: '10.0.0.1', port: 80 })
  await context.runtime.runtime.create(specOf(row))
  stop = aReconciler().start()
  for (let number = 2; number <= 40; number += 1) context.runtime.setState(row.id, at(`10.0.0.${number}`))
  await stop()
  stop = undefined
  expect(await find(row.id)).toMatchObject({ host: '10.0.0.40' })
})

test('a Pending instance is removed after a final failure, and the reason is stored', async () => {
  const { row } = await aRow({ status: 'Pending' })
  context.runtime.become(() => ({ kind: 'pending', reason: 'Pulling', message: 'Pulling' }))
  await context.runtime.runtime.create(specOf(row))
  stop = aReconciler().start()
  context.runtime.setState(row.id, { kind: 'failed', reason: 'ImagePullFailed', message: 'No such image.' })
  await expect.poll(() => find(row.id)).toMatchObject({ status: 'Destroyed', reason: 'No such image.' })
  await expect.poll(() => hasObject(row.id)).toBe(false)
})

test('a failed test instance is retained until its lifetime ends', async () => {
  const { row } = await aRow({ status: 'Pending', participationId: null })
  await context.runtime.runtime.create(specOf(row))
  context.runtime.setState(row.id, { kind: 'failed', reason: 'CrashLooping', message: 'It crashes.' })
  await aReconciler().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([true, true])
  const past = new Date(context.clock.now().getTime() - 60_000)
  await context.sql`update instances set expires_at = ${past.toISOString()} where id = ${row.id}`
  await aReconciler().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([false, false])
})

test('a start that ended before any caller got a response leaves no cool-down', async () => {
  const starts = [await aRow({ status: 'Pending', answeredAt: null }), await aRow({ status: 'Pending' })]
  for (const { row } of starts)
    await context.sql`
      insert into assignments (participation_id, challenge_id, last_instance_operation_at)
      values (${row.participationId}, ${row.challengeId}, ${row.startedAt.toISOString()})`
  await aReconciler().repair()
  const cooling = await Promise.all(
    starts.map(async ({ row }) => {
      const [left] = await context.sql`
        select last_instance_operation_at is not null as cools from assignments where challenge_id = ${row.challengeId}`
      return [await isLive(row.id), left?.cools]
    }),
  )
  expect(cooling).toEqual([
    [false, false],
    [false, true],
  ])
})

test('a running instance that crashes is retained, so that it can recover', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  stop = aReconciler().start()
  context.runtime.setState(row.id, { kind: 'failed', reason: 'CrashLooping', message: 'It crashes.' })
  await aReconciler().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([true, true])
})

describe('the address in the row', () => {
  /** Creates a running instance whose row and object agree. */
  async function aCurrentInstance() {
    const { row } = await aRow({ host: '10.0.0.1', port: 80, exposure: 'Proxy' })
    await context.runtime.runtime.create(specOf(row))
    return row
  }
  /** Returns the version of the row, which changes with each write and each row lock. */
  async function versionOf(id: string) {
    return (await context.sql`select xmin::text, xmax::text, ctid::text from instances where id = ${id}`)[0]
  }

  test('a repair corrects an address that was changed by SQL, and two replicas write and publish it once', async () => {
    const row = await aCurrentInstance()
    const replicas = [aReconciler(), aReconciler()]
    await Promise.all(replicas.map((each) => each.repair()))
    await context.sql`update instances set host = '10.0.0.9', further_ports = '{"3000": 4000}' where id = ${row.id}`
    await Promise.all(replicas.map((each) => each.repair()))
    expect(await find(row.id)).toMatchObject({ status: 'Running', host: '10.0.0.1', port: 80, further_ports: null })
    const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.9', port: 80 } }
    await expect.poll(() => movesOf(row.id)).toEqual([moved])
  })

  test('the stored address follows the object, and two replicas publish a change once', async () => {
    const row = await aCurrentInstance()
    const stops = [aReconciler().start(), aReconciler().start()]
    stop = async () => void (await Promise.all(stops.map((end) => end())))
    context.runtime.setState(row.id, { ...at('10.0.0.2'), furtherPorts: { 3000: 40_001 } })
    await expect.poll(() => find(row.id)).toMatchObject({ host: '10.0.0.2', further_ports: { 3000: 40_001 } })
    const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.1', port: 80 } }
    await expect.poll(() => movesOf(row.id)).toEqual([moved])
  })

  test('addresses of additional containers are stored, and the former address of a moved container is published', async () => {
    const row = await aCurrentInstance()
    stop = aReconciler().start()
    const [db, cache, other] = ['10.0.1.1', '10.0.2.1', '10.0.1.2'].map((host) => ({ host, port: 5432 }))
    const places = (moving: object) => ({ furtherPlaces: { 'cache:5432': cache!, ...moving } })
    context.runtime.setState(row.id, { ...at('10.0.0.1'), ...places({ 'db:5432': db! }) })
    await expect.poll(() => find(row.id)).toMatchObject({ further_places: { 'db:5432': db, 'cache:5432': cache } })
    expect(movesOf(row.id)).toEqual([])
    const restarting = { kind: 'pending', reason: 'Restarting', message: 'It restarts.' } as const
    context.runtime.setState(row.id, { ...restarting, address: { host: '10.0.0.1', port: 80 }, ...places({}) })
    await expect.poll(() => movesOf(row.id)).toContainEqual({ kind: 'instance-moved', instanceId: row.id, from: db })
    context.runtime.setState(row.id, { ...at('10.0.0.1'), ...places({ 'db:5432': other! }) })
    await expect.poll(() => find(row.id)).toMatchObject({ host: '10.0.0.1', further_places: { 'db:5432': other } })
    expect(movesOf(row.id).every((message) => 'from' in message && message.from.host === '10.0.1.1')).toBe(true)
  })

  test('new addresses are stored while another container of a running instance is not ready', async () => {
    const row = await aCurrentInstance()
    stop = aReconciler().start()
    const [db, other] = ['10.0.1.1', '10.0.1.2'].map((host) => ({ host, port: 5432 }))
    context.runtime.setState(row.id, { ...at('10.0.0.1'), furtherPorts: { 3000: 4000 }, furtherPlaces: { 'db:5432': db! } })
    await expect.poll(() => find(row.id)).toMatchObject({ further_places: { 'db:5432': db } })
    const failed = { kind: 'failed', reason: 'CrashLooping', message: 'It crashes.' } as const
    const address = { host: '10.0.0.2', port: 80 }
    context.runtime.setState(row.id, { ...failed, address, furtherPlaces: { 'db:5432': other! } })
    const ports = { further_ports: { 3000: 4000 }, further_places: { 'db:5432': other } }
    await expect.poll(() => find(row.id)).toMatchObject({ status: 'Running', host: '10.0.0.2', ...ports })
    const moved = [{ host: '10.0.0.1', port: 80 }, db].map((from) => ({ kind: 'instance-moved', instanceId: row.id, from }))
    await expect.poll(() => movesOf(row.id)).toEqual(moved)
    const before = await versionOf(row.id)
    await aReconciler().repair()
    expect([await versionOf(row.id), movesOf(row.id)]).toEqual([before, moved])
  })

  test('the address of a starting instance is not stored before the instance is ready', async () => {
    const { row } = await aRow({ status: 'Pending', host: null, port: null })
    context.runtime.become(() => at('10.0.0.1'))
    await context.runtime.runtime.create(specOf(row))
    const waiting = {
      kind: 'pending',
      reason: 'Starting',
      message: 'It starts.',
      address: { host: '10.0.0.1', port: 80 },
    } as const
    context.runtime.setState(row.id, waiting)
    expect(await storeInstanceAddress(context.deps, row.id, { state: waiting })).toBeUndefined()
    expect(await find(row.id)).toMatchObject({ status: 'Pending', host: null })
  })

  test('a repair needs only one read for all rows if nothing differs', async () => {
    const rows = [await aCurrentInstance(), await aCurrentInstance(), await aCurrentInstance()]
    const before = await Promise.all(rows.map(({ id }) => versionOf(id)))
    statements.length = 0
    await aReconciler().repair()
    expect(statements).toHaveLength(1)
    expect(await Promise.all(rows.map(({ id }) => versionOf(id)))).toEqual(before)
  })

  test('an event that changes nothing causes one SQL query and no write', async () => {
    const row = await aCurrentInstance()
    const before = await versionOf(row.id)
    stop = aReconciler().start()
    await expect.poll(() => statements.some((text) => text.includes('left join'))).toBe(true)
    statements.length = 0
    context.runtime.setState(row.id, at('10.0.0.1'))
    await stop()
    stop = undefined
    expect(statements.filter((text) => !text.includes('left join'))).toEqual([expect.stringMatching(/^select /)])
    expect(await versionOf(row.id)).toEqual(before)
  })

  test('an address that the row already has is neither written nor published', async () => {
    const row = await aCurrentInstance()
    const before = await versionOf(row.id)
    context.messages.length = 0
    expect(await storeInstanceAddress(context.deps, row.id, { state: at('10.0.0.1') })).toBeUndefined()
    expect(await versionOf(row.id)).toEqual(before)
    expect(context.messages).toEqual([])
  })

  test('the address of an instance that has ended is not written', async () => {
    const { row } = await aRow({ status: 'Destroyed', host: null, port: null, endedAt: context.clock.now() })
    expect(await storeInstanceAddress(context.deps, row.id, { state: at('10.0.0.1') })).toBeUndefined()
    expect(await find(row.id)).toMatchObject({ status: 'Destroyed', host: null })
  })

  test('the loss of an address that happened before a restart of the api is published', async () => {
    const row = await aCurrentInstance()
    context.runtime.setState(row.id, { kind: 'pending', reason: 'Restarting', message: 'It restarts.' })
    await aReconciler().repair()
    const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.1', port: 80 } }
    await expect.poll(() => movesOf(row.id)).toEqual([moved])
  })
})
