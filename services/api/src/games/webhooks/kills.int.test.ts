import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookWrite } from '@capstan/contract/webhooks'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCrashingPlatform } from '../../testing/crash/platform.ts'
import { aSession, aUser } from '../../testing/factories.ts'
import { isFullRun } from '../../testing/full-run.ts'
import { aGame } from '../../testing/organizing-factories.ts'

const kills = Number(process.env.CAPSTAN_KILLS ?? (isFullRun ? 20 : 3))
const targets = Array.from({ length: 10 }, (_, index) => `target-${index}`)
const notices = kills * 10
const total = targets.length * notices
/** True if the receiver of events is also down during this kill of the api. */
function isOutage(kill: number): boolean {
  return kill % 5 === 2
}

type Arrival = Readonly<{ id: string; number: number }>

let database: Awaited<ReturnType<typeof createTestDatabase>>
let platform: ReturnType<typeof createCrashingPlatform>
let server: Server
let isDown = false
let refused = 0
/** Requests that the receiver has read completely, by target. */
const arrivals = new Map<string, Arrival[]>(targets.map((target) => [target, []]))

beforeAll(async () => {
  server = createServer((request, response) => {
    const luck = Math.random()
    if (isDown || luck < 0.02) {
      refused += 1
      return void request.socket.destroy()
    }
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const number = Number(JSON.parse(body).text)
      arrivals.get(request.url?.slice(1) ?? '')?.push({ id: String(request.headers['webhook-id']), number })
      // The receiver gets the event, but its response is lost or is an error.
      if (luck < 0.04) request.socket.destroy()
      else response.writeHead(luck < 0.06 ? 500 : 200).end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  database = await createTestDatabase()
  platform = createCrashingPlatform(database.url, undefined, {
    CAPSTAN_OUTGOING_ALLOWED: '127.0.0.1',
    CAPSTAN_OUTGOING_HTTP: 'on',
  })
})

afterAll(async () => {
  await platform.kill()
  await database.drop()
  server.closeAllConnections()
  server.close()
})

/** Counts the distinct events that have arrived. */
function countArrived(): number {
  return [...arrivals.values()].reduce((sum, list) => sum + new Set(list.map(({ id }) => id)).size, 0)
}

const limitMs = 600_000 + kills * 60_000

test('despite kills and failures, each target receives all events in order, and each event always has the same id', {
  timeout: limitMs,
}, async () => {
  const game = await aGame(database.db)
  const cookie = await aSession(database.db, (await aUser(database.db, { role: 'Admin' })).id)
  await platform.start()
  const { port } = server.address() as AddressInfo
  for (const target of targets) {
    const webhook: WebhookWrite = {
      ...{ name: target, service: 'Json', address: `http://127.0.0.1:${port}/${target}`, authorization: null, gameId: game.id },
      ...{ kinds: ['Notice'], isForOrganizers: false, language: 'en-US', template: '{"text":"{text}"}', isEnabled: true },
    }
    expect((await platform.call('/api/admin/webhooks', cookie, webhook)).status).toBe(200)
  }
  await database.sql`
    insert into notices (game_id, type, "values")
    select ${game.id}, 'Normal', array[number::text] from generate_series(1, ${notices}) as number`

  /** Waits until a number of events have arrived. Skips the delays after failures, which are 5 s or more. */
  const waitFor = async (count: number): Promise<void> => {
    const hasArrived = async () => {
      await database.sql`update webhooks set next_attempt_at = now() - interval '1 second' where next_attempt_at > now()`
      return countArrived() >= count
    }
    await expect.poll(hasArrived, { timeout: limitMs, interval: 20 }).toBe(true)
  }
  for (let kill = 1; kill <= kills; kill++) {
    await waitFor(Math.floor((total * kill) / (kills + 1)))
    isDown = isOutage(kill)
    const refusedBefore = refused
    if (isDown) await expect.poll(async () => refused, { timeout: limitMs }).toBeGreaterThan(refusedBefore)
    await platform.kill()
    isDown = false
    await platform.start()
  }
  await waitFor(total)

  const numbers = Array.from({ length: notices }, (_, index) => index + 1)
  for (const target of targets) {
    const list = arrivals.get(target) ?? []
    const repeated = list.filter(({ number }, index) => number === list[index - 1]?.number)
    const firsts = list.filter(({ number }, index) => number !== list[index - 1]?.number)
    expect(firsts.map(({ number }) => number)).toEqual(numbers)
    expect(new Set(firsts.map(({ id }) => id)).size).toBe(notices)
    const idOf = new Map(firsts.map(({ id, number }) => [number, id]))
    for (const { id, number } of repeated) expect(id).toBe(idOf.get(number))
  }
  expect(refused).toBeGreaterThan(0)
})
