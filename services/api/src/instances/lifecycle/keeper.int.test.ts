import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, aGame, anInstance, aParticipation } from '../../testing/organizing-factories.ts'
import { noteReady } from './address.ts'
import { createInstanceKeeper } from './keeper.ts'
import type { InstanceSpec } from './runtime.ts'

let context: TestApp
let stop: (() => Promise<void>) | undefined
const statements: string[] = []
beforeAll(async () => {
  context = await startTestApp({ observe: (text) => void statements.push(text) })
})
afterAll(() => context.close())
beforeEach(async () => {
  context.runtime.become((spec) => ({ kind: 'ready', host: '10.0.0.1', port: spec.port }))
  await context.sql`delete from instances`
  for (const id of context.runtime.specs.keys()) await context.runtime.runtime.delete(id)
})
afterEach(async () => {
  await stop?.()
  stop = undefined
})

const silent = { warn: () => {}, info: () => {} }
function aKeeper() {
  return createInstanceKeeper({ ...context.deps, log: silent })
}

/** A live row of a team that may play. */
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

function specOf(row: { id: string; gameId: number; challengeId: number; expiresAt: Date }): InstanceSpec {
  return {
    id: row.id,
    gameId: row.gameId,
    challengeId: row.challengeId,
    participationId: undefined,
    teamId: undefined,
    image: 'shop:1',
    port: 80,
    cpuTenths: 1,
    memoryMb: 64,
    storageMb: 256,
    container: {},
    secrets: {},
    flag: undefined,
    expiresAt: row.expiresAt,
    capture: false,
  }
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

test('a row without an object is closed', async () => {
  const { row } = await aRow()
  await aKeeper().repair()
  expect(await isLive(row.id)).toBe(false)
  await expect.poll(() => context.messages).toContainEqual({ kind: 'instance-ended', instanceId: row.id })
})

test('a row whose object the watch has missed stays', async () => {
  const { row } = await aRow()
  const runtime = { ...context.runtime.runtime, exists: async (id: string) => id === row.id }
  await createInstanceKeeper({ ...context.deps, runtime, log: silent }).repair()
  expect(await isLive(row.id)).toBe(true)
})

test('a row so young that its object may still come is left alone', async () => {
  const { row } = await aRow({ startedAt: context.clock.now(), status: 'Pending' })
  await aKeeper().repair()
  expect(await isLive(row.id)).toBe(true)
})

test('an object without a row is deleted, also when its row has ended', async () => {
  const { row } = await aRow({ endedAt: new Date() })
  const stray = '5c1a1a52-6d1c-4e4f-9a4e-000000000001'
  await context.runtime.runtime.create(specOf(row))
  await context.runtime.runtime.create({ ...specOf(row), id: stray })
  await aKeeper().repair()
  expect([hasObject(row.id), hasObject(stray)]).toEqual([false, false])
})

test('row and object that belong together stay', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  await aKeeper().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([true, true])
})

test('nothing is touched before the runtime has seen everything', async () => {
  const { row } = await aRow()
  const runtime = { ...context.runtime.runtime, list: () => undefined }
  await createInstanceKeeper({ ...context.deps, runtime, log: silent }).repair()
  expect(await isLive(row.id)).toBe(true)
})

test('an instance that should have ended is ended', async () => {
  const { row } = await aRow({ expiresAt: new Date(context.clock.now().getTime() - 11_000) })
  await context.runtime.runtime.create(specOf(row))
  await aKeeper().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([false, false])
})

test('an extension that did not reach the object reaches it', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create({ ...specOf(row), expiresAt: new Date(row.expiresAt.getTime() - 60_000) })
  await aKeeper().repair()
  expect(context.runtime.specs.get(row.id)?.expiresAt).toEqual(row.expiresAt)
})

test('an end that somebody moved by hand is what the row says again', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create({ ...specOf(row), expiresAt: new Date(row.expiresAt.getTime() + 86_400_000) })
  await aKeeper().repair()
  expect(context.runtime.specs.get(row.id)?.expiresAt).toEqual(row.expiresAt)
})

test('an extension while the end is put back is not lost', async () => {
  const { row } = await aRow()
  const extended = new Date(row.expiresAt.getTime() + 3_600_000)
  const { runtime } = context.runtime
  await runtime.create({ ...specOf(row), expiresAt: new Date(row.expiresAt.getTime() + 86_400_000) })
  let isFirst = true
  /** The row and the object are extended by another process right before the first write arrives. */
  const extend = async (id: string, expiresAt: Date) => {
    if (isFirst) {
      isFirst = false
      await context.sql`update instances set expires_at = ${extended.toISOString()}::timestamptz where id = ${id}`
      await runtime.extend(id, extended)
    }
    await runtime.extend(id, expiresAt)
  }
  await createInstanceKeeper({ ...context.deps, runtime: { ...runtime, extend }, log: silent }).repair()
  expect(context.runtime.specs.get(row.id)?.expiresAt).toEqual(extended)
})

test('an instance that became ready unnoticed is Running', async () => {
  const { row } = await aRow({ status: 'Pending', host: null, port: null })
  await context.runtime.runtime.create(specOf(row))
  await aKeeper().repair()
  expect(await find(row.id)).toMatchObject({ status: 'Running', host: '10.0.0.1', port: 80 })
})

test('a row learns how its instance was made from the object, whatever the platform does by now', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  const runtime: typeof context.runtime.runtime = {
    ...context.runtime.runtime,
    find: (id) => {
      const found = context.runtime.runtime.find(id)
      return found && { ...found, exposure: 'Direct' }
    },
  }
  await createInstanceKeeper({ ...context.deps, runtime, log: silent }).repair()
  expect(await find(row.id)).toMatchObject({ status: 'Running', exposure: 'Direct' })
})

test.each([
  ['the challenge is disabled', 'update challenges set is_enabled = false where id = $1'],
  ['the team is suspended', "update participations set status = 'Suspended' where id = $2"],
  [
    'the game is over without practice',
    "update games set ends_at = now() - interval '1 minute', starts_at = now() - interval '1 hour', practice_mode = false where id = $3",
  ],
])('an instance ends when %s', async (_name, statement) => {
  const { row, challenge, participation } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  const parameters = [challenge.id, participation.id, row.gameId]
  const used = parameters[Number(/\$(\d)/.exec(statement)?.[1]) - 1]!
  await context.sql.unsafe(statement.replace(/\$\d/, '$1'), [used])
  await aKeeper().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([false, false])
})

test('an instance goes on in practice mode', async () => {
  const { row } = await aRow({}, { phase: 'ended', practiceMode: true })
  await context.runtime.runtime.create(specOf(row))
  await aKeeper().repair()
  expect(await isLive(row.id)).toBe(true)
})

test('one that fails does not keep the others from being repaired', async () => {
  const broken = await aRow({ expiresAt: new Date(0) })
  const other = await aRow()
  const runtime = {
    ...context.runtime.runtime,
    find: (id: string) => {
      if (id === broken.row.id) throw new Error('Cannot tell')
      return context.runtime.runtime.find(id)
    },
  }
  await createInstanceKeeper({ ...context.deps, runtime, log: silent }).repair()
  expect(await isLive(other.row.id)).toBe(false)
})

test('two processes that repair at once do no harm to each other', async () => {
  const { row } = await aRow()
  const { row: kept } = await aRow()
  await context.runtime.runtime.create(specOf(kept))
  await Promise.all([aKeeper().repair(), aKeeper().repair()])
  expect([await isLive(row.id), await isLive(kept.id)]).toEqual([false, true])
})

test('an object that ends closes its row at once', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  stop = aKeeper().start()
  await context.runtime.runtime.delete(row.id)
  await expect.poll(() => isLive(row.id)).toBe(false)
})

function at(host: string) {
  return { kind: 'ready', host, port: 80 } as const
}
function movesOf(id: string) {
  return context.messages.filter((message) => message.kind === 'instance-moved' && message.instanceId === id)
}

test('an instance that has another address is there from now on, and what goes to the old one is told to end', async () => {
  const { row } = await aRow({ host: '10.0.0.1', port: 80 })
  await context.runtime.runtime.create(specOf(row))
  stop = aKeeper().start()
  context.runtime.setState(row.id, at('10.0.0.2'))
  await expect.poll(() => find(row.id)).toMatchObject({ host: '10.0.0.2', port: 80 })
  const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.1', port: 80 } }
  await expect.poll(() => movesOf(row.id)).toEqual([moved])
})

test('an instance that has no address any more has left it, one that only does not answer has not', async () => {
  const { row } = await aRow({ host: '10.0.0.1', port: 80 })
  const { row: silent } = await aRow({ host: '10.0.0.3', port: 80 })
  for (const each of [row, silent]) {
    context.runtime.become(() => at(each.host!))
    await context.runtime.runtime.create(specOf(each))
  }
  stop = aKeeper().start()
  const restarting = { kind: 'pending', reason: 'Restarting', message: 'It restarts.' } as const
  context.runtime.setState(silent.id, { ...restarting, address: { host: '10.0.0.3', port: 80 } })
  context.runtime.setState(row.id, restarting)
  await expect.poll(() => movesOf(row.id)).not.toEqual([])
  expect(movesOf(silent.id)).toEqual([])
})

test('a repair tells of an address that was left while nobody looked', async () => {
  const { row } = await aRow({ host: '10.0.0.7', port: 80 })
  context.runtime.become(() => at('10.0.0.8'))
  await context.runtime.runtime.create(specOf(row))
  await aKeeper().repair()
  expect(await find(row.id)).toMatchObject({ host: '10.0.0.8' })
  const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.7', port: 80 } }
  await expect.poll(() => movesOf(row.id)).toEqual([moved])
})

test('the newest of many addresses is the one that is kept', async () => {
  const { row } = await aRow({ host: '10.0.0.1', port: 80 })
  await context.runtime.runtime.create(specOf(row))
  stop = aKeeper().start()
  for (let number = 2; number <= 40; number += 1) context.runtime.setState(row.id, at(`10.0.0.${number}`))
  await stop()
  stop = undefined
  expect(await find(row.id)).toMatchObject({ host: '10.0.0.40' })
})

test('a Pending instance that fails for good is removed, with its reason', async () => {
  const { row } = await aRow({ status: 'Pending' })
  context.runtime.become(() => ({ kind: 'pending', reason: 'Pulling', message: 'Pulling' }))
  await context.runtime.runtime.create(specOf(row))
  stop = aKeeper().start()
  context.runtime.setState(row.id, { kind: 'failed', reason: 'ImagePullFailed', message: 'No such image.' })
  await expect.poll(() => find(row.id)).toMatchObject({ status: 'Destroyed', reason: 'No such image.' })
  await expect.poll(() => hasObject(row.id)).toBe(false)
})

test('what ends before anybody was told of it leaves no cool-down behind', async () => {
  const starts = [await aRow({ status: 'Pending', answeredAt: null }), await aRow({ status: 'Pending' })]
  for (const { row } of starts)
    await context.sql`
      insert into assignments (participation_id, challenge_id, last_instance_operation_at)
      values (${row.participationId}, ${row.challengeId}, ${row.startedAt.toISOString()})`
  await aKeeper().repair()
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

test('a running instance that crashes is left to recover', async () => {
  const { row } = await aRow()
  await context.runtime.runtime.create(specOf(row))
  stop = aKeeper().start()
  context.runtime.setState(row.id, { kind: 'failed', reason: 'CrashLooping', message: 'It crashes.' })
  await aKeeper().repair()
  expect([await isLive(row.id), hasObject(row.id)]).toEqual([true, true])
})

describe('the address in the row', () => {
  /** A running instance whose row and object agree. */
  async function aCurrentInstance() {
    const { row } = await aRow({ host: '10.0.0.1', port: 80, exposure: 'Proxy' })
    await context.runtime.runtime.create(specOf(row))
    return row
  }
  /** Version of the row: it changes with each write. */
  async function versionOf(id: string) {
    return (await context.sql`select xmin::text, xmax::text, ctid::text from instances where id = ${id}`)[0]
  }

  test('is repaired after SQL changed it, by two replicas, with one write and one notice to the gateways', async () => {
    const row = await aCurrentInstance()
    const replicas = [aKeeper(), aKeeper()]
    await Promise.all(replicas.map((each) => each.repair()))
    await context.sql`update instances set host = '10.0.0.9', further_ports = '{"3000": 4000}' where id = ${row.id}`
    await Promise.all(replicas.map((each) => each.repair()))
    expect(await find(row.id)).toMatchObject({ status: 'Running', host: '10.0.0.1', port: 80, further_ports: null })
    const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.9', port: 80 } }
    await expect.poll(() => movesOf(row.id)).toEqual([moved])
  })

  test('follows the object although each replica has only its own watch', async () => {
    const row = await aCurrentInstance()
    const stops = [aKeeper().start(), aKeeper().start()]
    stop = async () => void (await Promise.all(stops.map((end) => end())))
    context.runtime.setState(row.id, { ...at('10.0.0.2'), furtherPorts: { 3000: 40_001 } })
    await expect.poll(() => find(row.id)).toMatchObject({ host: '10.0.0.2', further_ports: { 3000: 40_001 } })
    const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.1', port: 80 } }
    await expect.poll(() => movesOf(row.id)).toEqual([moved])
  })

  test('costs one read for a repair of all rows, and no write, if nothing differs', async () => {
    const rows = [await aCurrentInstance(), await aCurrentInstance(), await aCurrentInstance()]
    const before = await Promise.all(rows.map(({ id }) => versionOf(id)))
    statements.length = 0
    await aKeeper().repair()
    expect(statements).toHaveLength(1)
    expect(await Promise.all(rows.map(({ id }) => versionOf(id)))).toEqual(before)
  })

  test('costs one read for an event of the watch, and no write, if nothing differs', async () => {
    const row = await aCurrentInstance()
    const before = await versionOf(row.id)
    stop = aKeeper().start()
    await expect.poll(() => statements.some((text) => text.includes('left join'))).toBe(true)
    statements.length = 0
    context.runtime.setState(row.id, at('10.0.0.1'))
    await stop()
    stop = undefined
    expect(statements.filter((text) => !text.includes('left join'))).toEqual([expect.stringMatching(/^select /)])
    expect(await versionOf(row.id)).toEqual(before)
  })

  test('is not written or published again if the row already has it', async () => {
    const row = await aCurrentInstance()
    const before = await versionOf(row.id)
    context.messages.length = 0
    expect(await noteReady(context.deps, row.id, { state: at('10.0.0.1') })).toBeUndefined()
    expect(await versionOf(row.id)).toEqual(before)
    expect(context.messages).toEqual([])
  })

  test('is not written after the end of the instance', async () => {
    const { row } = await aRow({ status: 'Destroyed', host: null, port: null, endedAt: context.clock.now() })
    expect(await noteReady(context.deps, row.id, { state: at('10.0.0.1') })).toBeUndefined()
    expect(await find(row.id)).toMatchObject({ status: 'Destroyed', host: null })
  })

  test('is the one that gateways leave, also after a restart of the api, when the object has none any more', async () => {
    const row = await aCurrentInstance()
    context.runtime.setState(row.id, { kind: 'pending', reason: 'Restarting', message: 'It restarts.' })
    await aKeeper().repair()
    const moved = { kind: 'instance-moved', instanceId: row.id, from: { host: '10.0.0.1', port: 80 } }
    await expect.poll(() => movesOf(row.id)).toEqual([moved])
  })
})
