import type { InstanceAccess } from '@capstan/contract/reach'
import { challenges } from '@capstan/db/schema/challenges'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readyStateOf, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, anInstance } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'
import { createGatewayBackend } from '../internal/gateway-backend.ts'
import { createInstanceRepository, portChoices } from './repository.ts'

const ways = {
  domain: 'play.example.org',
  web: 'https',
  webPort: undefined,
  tlsPort: 1337,
  ports: { first: 31_000, last: 31_003 },
} as const

let context: TestApp
beforeAll(async () => {
  const plain = await startTestApp()
  const { instances } = plain.deps.config
  await plain.close()
  context = await startTestApp({ config: { internalToken: 'shared secret', instances: { ...instances, ways } } })
})
afterAll(() => context.close())
beforeEach(() => {
  context.clock.set(new Date())
  context.runtime.become(readyStateOf)
  return context.sql`update instances set ended_at = now(), status = 'Destroyed' where ended_at is null`.then(() => {})
})

const authorization = 'Bearer shared secret'
async function ask(url: string) {
  const { playerAddresses: _, ...body } = (await context.app.inject({ url, headers: { authorization } })).json()
  return body
}
async function aPlayed() {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer', containerImage: 'shop:1', port: 8080 })
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  return { challenge, client: player.client, path: `/api/game/${challenge.gameId}/container/${challenge.id}` }
}
async function waysOf(client: TestClient, path: string) {
  return (await client.get(`${path}/ways`)).json() as InstanceAccess[]
}
async function rowOf(id: string) {
  return (await context.sql`select label, gateway_port from instances where id = ${id}`)[0]!
}

test('a start assigns a unique label and a port to the instance, and the player sees all its addresses', async () => {
  const { client, path } = await aPlayed()
  const { entry } = (await client.post(path)).json()
  const { label, gateway_port: port } = await rowOf(entry)
  expect(label).toMatch(/^[a-z2-7]{20}$/)
  expect(port).toBeGreaterThanOrEqual(31_000)
  expect(port).toBeLessThanOrEqual(31_003)
  expect(await waysOf(client, path)).toEqual([
    { way: 'tcp', address: `play.example.org:${port}` },
    { way: 'tls', address: `${label}.play.example.org:1337` },
    { way: 'websocket', address: `/api/proxy/${entry}` },
  ])
})

test('the protocol of a challenge determines the addresses that players see and the routes that gateways receive', async () => {
  const { client, path, challenge } = await aPlayed()
  const { entry } = (await client.post(path)).json()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const reach = `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}/reach`
  expect((await admin.get(reach)).json()).toEqual({ speaks: 'tcp', isRaw: false, hasOwnCertificate: false, isGuarded: false })
  const said = { speaks: 'http', isRaw: true, hasOwnCertificate: false, isGuarded: false }
  expect((await admin.put(reach, said)).json()).toEqual(said)
  expect((await admin.put(reach, { ...said, speaks: 'udp' })).statusCode).toBe(400)
  const { label, gateway_port: port } = await rowOf(entry)
  expect((await waysOf(client, path))[0]).toEqual({ way: 'http', address: `https://${label}.play.example.org:1337/` })
  const { isGuarded: _, ...spoken } = said
  const expected = { ...spoken, state: 'ready', instanceId: entry, host: '10.0.0.1', port: 8080, kind: 'team' }
  expect(await ask(`/internal/labels/${label}`)).toEqual(expected)
  expect(await ask(`/internal/ports/${port}`)).toEqual(expected)
})

test('a label and a port have no route after their instance ended', async () => {
  const { client, path } = await aPlayed()
  const { entry } = (await client.post(path)).json()
  const { label, gateway_port: port } = await rowOf(entry)
  context.clock.advanceMs(60_000)
  expect((await client.delete(path)).statusCode).toBe(200)
  expect(await ask(`/internal/labels/${label}`)).toEqual({ state: 'ended' })
  expect(await ask(`/internal/ports/${port}`)).toEqual({ state: 'unknown' })
  expect((await client.get(`${path}/ways`)).json().code).toBe('instance.none')
})

test('an instance is unreachable after its end, even if it is removed late', async () => {
  const { client, path } = await aPlayed()
  const { entry, expectStopAt } = (await client.post(path)).json()
  const { label, gateway_port: port } = await rowOf(entry)
  context.clock.set(new Date(Date.parse(expectStopAt) - 1))
  for (const route of [`labels/${label}`, `ports/${port}`, `proxy/${entry}`])
    expect(await ask(`/internal/${route}`)).toMatchObject({ state: 'ready' })
  context.clock.set(new Date(expectStopAt))
  expect(await ask(`/internal/labels/${label}`)).toEqual({ state: 'ended' })
  for (const route of [`ports/${port}`, `proxy/${entry}`]) expect(await ask(`/internal/${route}`)).toEqual({ state: 'unknown' })
})

test('the route of a starting instance reports that the instance is starting', async () => {
  context.runtime.become(() => ({ kind: 'pending', reason: 'Pulling', message: 'Pulling' }))
  const { client, path } = await aPlayed()
  const { entry } = (await client.post(path)).json()
  const { label } = await rowOf(entry)
  expect(await ask(`/internal/labels/${label}`)).toEqual({ state: 'starting' })
})

test.each(['labels/unknownunknown234567', 'labels/ABC', 'ports/0', 'ports/x', 'ports/70000', 'ports/31000'])(
  'the route %s belongs to no instance',
  async (route) => {
    expect(await ask(`/internal/${route}`)).toEqual({ state: 'unknown' })
  },
)

test('a directly exposed instance has no gateway route, and players reach it only at its address', async () => {
  const { challenge, client, path } = await aPlayed()
  const { entry } = (await client.post(path)).json()
  await context.sql`update instances set exposure = 'Direct' where id = ${entry}`
  const { label } = await rowOf(entry)
  expect(await ask(`/internal/labels/${label}`)).toEqual({ state: 'unknown' })
  expect(await waysOf(client, path)).toEqual([{ way: 'tcp', address: '10.0.0.1:8080' }])
  expect(challenge.id).toBeGreaterThan(0)
})

test('concurrent starts get different ports, and a start gets no port if none is free', async () => {
  const played = await Promise.all(Array.from({ length: 6 }, aPlayed))
  await Promise.all(played.map(({ client, path }) => client.post(path)))
  const rows = await context.sql`select gateway_port from instances where ended_at is null order by gateway_port nulls last`
  expect(rows.map(({ gateway_port: port }) => port)).toEqual([31_000, 31_001, 31_002, 31_003, null, null])
})

test('the port that was freed last is reused last', async () => {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer', containerImage: 'shop:1', port: 8080 })
  const left = new Date(Date.now() + 3_600_000)
  await context.sql`delete from instances`
  // A start that needs one port chooses from `portChoices` + 1 free ports. Now `portChoices` + 2 ports are free, so the port that
  // was freed last is not a candidate.
  const ports = Array.from({ length: portChoices + 2 }, (_, index) => 32_000 + index)
  for (const gatewayPort of ports)
    await anInstance(context.db, {
      gameId: challenge.gameId,
      challengeId: challenge.id,
      status: 'Destroyed',
      gatewayPort,
      endedAt: gatewayPort === 32_005 ? left : new Date(),
    })
  const values = { gameId: challenge.gameId, challengeId: challenge.id, image: 'shop:1', expiresAt: left }
  const row = await createInstanceRepository(context.db).insert(values, { first: 32_000, last: 32_000 + ports.length - 1 })
  expect(ports).toContain(row.gatewayPort)
  expect(row.gatewayPort).not.toBe(32_005)
})

test('the connection report of a gateway includes protocol and port', async () => {
  const { client, path } = await aPlayed()
  const { entry } = (await client.post(path)).json()
  const backend = createGatewayBackend(context.app)
  const report = {
    ...{ id: '77777777-7777-4777-8777-777777777777', instanceId: entry, clientAddress: '192.0.2.1', userId: null },
    ...{ bytesSent: 1, bytesReceived: 2, openedAt: new Date().toISOString(), closedAt: null },
  }
  await backend.reportConnections([{ ...report, way: 'tls', port: 9000 }])
  const [row] = await context.sql`select way, port from proxy_connections where instance_id = ${entry}`
  expect(row).toEqual({ way: 'tls', port: 9000 })
})

test('each instance of a guarded challenge has a key that its players and the gateways know', async () => {
  const { client, path, challenge } = await aPlayed()
  const { entry } = (await client.post(path)).json()
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  const reach = `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}/reach`
  const guarded = { speaks: 'http', isRaw: false, hasOwnCertificate: false, isGuarded: true }
  expect((await admin.put(reach, guarded)).json()).toEqual(guarded)
  const { label } = await rowOf(entry)
  const [{ key }] = (await context.sql`select key from instances where id = ${entry}`) as unknown as [{ key: string }]
  expect(await waysOf(client, path)).toEqual([
    { way: 'http', address: `https://${label}.play.example.org/`, key },
    { way: 'websocket', address: `/api/proxy/${entry}` },
  ])
  expect((await ask(`/internal/labels/${label}`)).key).toBe(key)
  expect(key).not.toBe(entry)
})

describe('a gateway port for the main port of an instance', () => {
  const aStart = async (reach: object, definition: object = {}) => {
    const played = await aPlayed()
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const at = `/api/edit/games/${played.challenge.gameId}/challenges/${played.challenge.id}`
    expect((await admin.put(`${at}/container/definition`, definition)).statusCode).toBe(200)
    expect(
      (await admin.put(`${at}/reach`, { speaks: 'http', isRaw: false, hasOwnCertificate: false, ...reach })).statusCode,
    ).toBe(200)
    const { entry } = (await played.client.post(played.path)).json()
    const { label, gateway_port: port } = (await rowOf(entry)) as unknown as { label: string; gateway_port: number | null }
    return { ...played, label, port }
  }
  const nine = { furtherPorts: [9000], offeredPorts: [{ port: 9000, speaks: 'tcp' }] }

  test.each([
    ['HTTP that the gateway parses', {}, {}, false],
    ['HTTP with a plain port on request of the author', {}, { plainPort: true }, true],
    ['HTTP with a TCP port beside it', {}, nine, true],
    ['HTTP that is forwarded without parsing', { isRaw: true }, {}, true],
    ['HTTP with its own certificate', { hasOwnCertificate: true }, {}, true],
    ['HTTP with a guard', { isGuarded: true }, { plainPort: true }, false],
    ['TCP', { speaks: 'tcp' }, {}, true],
  ])(
    'a gateway port is assigned only if a port of the instance needs a gateway port: %s',
    async (_name, reach, definition, isGiven) => {
      const { client, path, port } = await aStart(reach, definition)
      expect(port !== null).toBe(isGiven)
      expect((await waysOf(client, path)).some(({ way }) => way === 'tcp')).toBe(isGiven)
    },
  )

  test('the route of a gateway port contains the client addresses of the players, but the route of a host name does not', async () => {
    const { client, port, label } = await aStart({ speaks: 'tcp' })
    const { userId } = (await client.get('/api/account/profile')).json()
    await context.sql`update users set last_address = '2001:db8:1:2:3::4' where id = ${userId}`
    const answer = async (route: string) =>
      (await context.app.inject({ url: `/internal/${route}`, headers: { authorization } })).json()
    expect((await answer(`ports/${port}`)).playerAddresses).toEqual(['2001:db8:1:2::/64'])
    expect(await answer(`labels/${label}`)).not.toHaveProperty('playerAddresses')
  })
})

describe('additional ports of an instance', () => {
  /**
   * Creates an instance of a challenge with two additional ports for players, one for HTTP and one for TCP. `port` is the gateway
   * port of the entry. `plain` is the gateway port of the additional TCP port.
   */
  const aManyPorted = async () => {
    const played = await aPlayed()
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const at = `/api/edit/games/${played.challenge.gameId}/challenges/${played.challenge.id}`
    const offeredPorts = [
      { port: 3000, speaks: 'http' },
      { port: 9000, speaks: 'tcp' },
    ]
    const definition = { furtherPorts: [3000, 9000, 9999], offeredPorts }
    expect((await admin.put(`${at}/container/definition`, definition)).statusCode).toBe(200)
    const { entry } = (await played.client.post(played.path)).json()
    const { label, gateway_port: port } = await rowOf(entry)
    const [given] = (await context.sql`
      select gateway_port as plain from further_gateway_ports where instance_id = ${entry}`) as unknown as { plain: number }[]
    const say = (changes: object) =>
      admin.put(`${at}/reach`, { speaks: 'http', isRaw: false, hasOwnCertificate: false, isGuarded: false, ...changes })
    return { ...played, entry, label, port, plain: given?.plain, say, at, admin }
  }
  const route = { state: 'ready', host: '10.0.0.1', isRaw: false, hasOwnCertificate: false, kind: 'team' }

  test('additional ports have separate addresses and routes', async () => {
    const { client, path, entry, label, port, plain } = await aManyPorted()
    expect(plain).not.toBe(port)
    expect(await waysOf(client, path)).toEqual([
      { way: 'tcp', address: `play.example.org:${port}` },
      { way: 'tls', address: `${label}.play.example.org:1337` },
      { way: 'websocket', address: `/api/proxy/${entry}` },
      { way: 'http', address: `https://${label}-3000.play.example.org/`, port: 3000 },
      { way: 'tls', address: `${label}-3000.play.example.org:1337`, port: 3000 },
      { way: 'tcp', address: `play.example.org:${plain}`, port: 9000 },
      { way: 'tls', address: `${label}-9000.play.example.org:1337`, port: 9000 },
    ])
    expect(context.runtime.specs.get(entry)?.ways).toContainEqual({
      way: 'http',
      address: 'https://*-3000.play.example.org/',
      port: 3000,
    })
    const further = { ...route, instanceId: entry, entryPort: 8080 }
    const toNine = { ...further, port: 9000, furtherPort: 9000, speaks: 'tcp' }
    expect(await ask(`/internal/labels/${label}-3000`)).toEqual({ ...further, port: 3000, furtherPort: 3000, speaks: 'http' })
    expect(await ask(`/internal/labels/${label}-9000`)).toEqual(toNine)
    expect(await ask(`/internal/ports/${plain}`)).toEqual(toNine)
    expect(await ask(`/internal/ports/${port}`)).toEqual({ ...route, instanceId: entry, port: 8080, speaks: 'tcp' })
  })

  test('ports that are not offered have no route', async () => {
    const { label } = await aManyPorted()
    for (const port of [9999, 8080, 22, 70_000])
      expect(await ask(`/internal/labels/${label}-${port}`)).toEqual({ state: 'unknown' })
  })

  test('if the main port speaks HTTP, an additional TCP port gets the first gateway port', async () => {
    const { client, path, entry, port, say } = await aManyPorted()
    await say({})
    expect(await waysOf(client, path)).toContainEqual({ way: 'tcp', address: `play.example.org:${port}`, port: 9000 })
    const further = { ...route, instanceId: entry, entryPort: 8080, port: 9000, furtherPort: 9000, speaks: 'tcp' }
    expect(await ask(`/internal/ports/${port}`)).toEqual(further)
  })

  test('connections to additional ports require the key if the challenge is guarded', async () => {
    const { client, path, label, port, say } = await aManyPorted()
    await say({ isGuarded: true })
    const ways = await waysOf(client, path)
    expect(ways.map(({ way, port: of, key }) => [way, of, key !== undefined])).toEqual([
      ['http', undefined, true],
      ['websocket', undefined, false],
      ['http', 3000, true],
    ])
    const { key } = await ask(`/internal/labels/${label}`)
    for (const route of [`labels/${label}-3000`, `labels/${label}-9000`, `ports/${port}`])
      expect(await ask(`/internal/${route}`)).toMatchObject({ state: 'ready', key })
  })

  test('an additional port leads to the port that the runtime reported, or has no route if the runtime reported no port', async () => {
    context.runtime.become((spec) => ({ ...readyStateOf(spec), furtherPorts: { 3000: 40_001 } }))
    const { label } = await aManyPorted()
    expect(await ask(`/internal/labels/${label}-3000`)).toMatchObject({ state: 'ready', port: 40_001, furtherPort: 3000 })
    expect(await ask(`/internal/labels/${label}-9000`)).toEqual({ state: 'unknown' })
  })

  test('additional ports can use raw HTTP, or the certificate of the challenge', async () => {
    const { client, path, label, at, admin } = await aManyPorted()
    const offeredPorts = [
      { port: 3000, speaks: 'http', isRaw: true },
      { port: 9000, speaks: 'tcp', hasOwnCertificate: true },
    ]
    const definition = { furtherPorts: [3000, 9000], offeredPorts }
    expect((await admin.put(`${at}/container/definition`, definition)).statusCode).toBe(200)
    expect(await ask(`/internal/labels/${label}-3000`)).toMatchObject({ isRaw: true, hasOwnCertificate: false })
    expect(await ask(`/internal/labels/${label}-9000`)).toMatchObject({ isRaw: false, hasOwnCertificate: true })
    expect(await waysOf(client, path)).toContainEqual({
      ...{ way: 'http', port: 3000 },
      address: `https://${label}-3000.play.example.org:1337/`,
    })
  })

  test('additional ports in different instances have different gateway ports', async () => {
    await Promise.all([aManyPorted(), aManyPorted(), aManyPorted()])
    const rows = await context.sql`
      select gateway_port as port from instances where ended_at is null and gateway_port is not null
      union all select f.gateway_port from further_gateway_ports f join instances i on i.id = f.instance_id where i.ended_at is null`
    expect(rows.map(({ port }) => port as number).sort()).toEqual([31_000, 31_001, 31_002, 31_003])
  })

  test('the api returns no route for a gateway port that two instances share', async () => {
    const [{ plain }, other] = [await aManyPorted(), await aPlayed()]
    const { entry } = (await other.client.post(other.path)).json()
    expect(await ask(`/internal/ports/${plain}`)).toMatchObject({ state: 'ready' })
    await context.sql`update instances set gateway_port = ${plain ?? 0} where id = ${entry}`
    expect(await ask(`/internal/ports/${plain}`)).toEqual({ state: 'unknown' })
  })

  test('additional ports have no route after their instance ended', async () => {
    const { client, path, label, plain } = await aManyPorted()
    context.clock.advanceMs(60_000)
    expect((await client.delete(path)).statusCode).toBe(200)
    expect(await ask(`/internal/labels/${label}-3000`)).toEqual({ state: 'ended' })
    expect(await ask(`/internal/ports/${plain}`)).toEqual({ state: 'unknown' })
  })
})

describe('ports of additional containers', () => {
  const offers = (port: number, speaks: 'http' | 'tcp') => ({ furtherPorts: [port], offeredPorts: [{ port, speaks }] })
  const small = { image: 'shop:1', cpuTenths: 1, memoryMb: 64, storageMb: 64 }
  /**
   * Creates an instance with four containers: the page, an admin page and a database have ports for players, and a bot has none.
   */
  const aShop = async () => {
    context.runtime.become((spec) => ({ ...readyStateOf(spec), furtherPlaces: places }))
    const played = await aPlayed()
    const furtherContainers = [
      { ...small, name: 'admin', definition: offers(3000, 'http') },
      { ...small, name: 'db', definition: offers(5432, 'tcp') },
      { ...small, name: 'bot', definition: { furtherPorts: [9000] } },
    ]
    await context.db.update(challenges).set({ speaks: 'http', furtherContainers }).where(eq(challenges.id, played.challenge.id))
    const { entry } = (await played.client.post(played.path)).json()
    const { label, gateway_port: port } = await rowOf(entry)
    return { ...played, entry, label, port }
  }
  const [admin, db, bot] = ['10.0.0.2', '10.0.0.3', '10.0.0.4'].map((host) => ({ host }))
  const places = {
    'admin:3000': { ...admin!, port: 3000 },
    'db:5432': { ...db!, port: 5432 },
    'bot:9000': { ...bot!, port: 9000 },
  }
  const route = { state: 'ready', isRaw: false, hasOwnCertificate: false, kind: 'team' }

  test('published ports of additional containers have addresses and routes', async () => {
    const { client, path, entry, label, port } = await aShop()
    expect(await waysOf(client, path)).toEqual([
      { way: 'http', address: `https://${label}.play.example.org/` },
      { way: 'tls', address: `${label}.play.example.org:1337` },
      { way: 'websocket', address: `/api/proxy/${entry}` },
      { way: 'http', address: `https://${label}-3000.play.example.org/`, port: 3000 },
      { way: 'tls', address: `${label}-3000.play.example.org:1337`, port: 3000 },
      { way: 'tcp', address: `play.example.org:${port}`, port: 5432 },
      { way: 'tls', address: `${label}-5432.play.example.org:1337`, port: 5432 },
    ])
    const toDatabase = { ...route, instanceId: entry, ...places['db:5432'], furtherPort: 5432, speaks: 'tcp' }
    expect(await ask(`/internal/ports/${port}`)).toEqual(toDatabase)
    expect(await ask(`/internal/labels/${label}-5432`)).toEqual(toDatabase)
    expect(await ask(`/internal/labels/${label}-3000`)).toMatchObject({ host: '10.0.0.2', port: 3000, speaks: 'http' })
    expect(await ask(`/internal/labels/${label}-9000`)).toEqual({ state: 'unknown' })
    expect(await ask(`/internal/proxy/${entry}`)).toMatchObject({
      host: '10.0.0.1',
      further: expect.arrayContaining(Object.values(places)),
    })
  })

  test('a port has no route while its container has no address, and the other ports remain reachable', async () => {
    const { label, entry } = await aShop()
    const { 'db:5432': _, ...others } = places
    const restarting = { kind: 'pending', reason: 'Restarting', message: 'It restarts.' } as const
    context.runtime.setState(entry, { ...restarting, address: { host: '10.0.0.1', port: 8080 }, furtherPlaces: others })
    expect(await ask(`/internal/labels/${label}-5432`)).toEqual({ state: 'starting' })
    expect(await ask(`/internal/labels/${label}-3000`)).toMatchObject({ state: 'ready', host: '10.0.0.2' })
    expect(await ask(`/internal/labels/${label}`)).toMatchObject({ state: 'ready', host: '10.0.0.1' })
    context.runtime.setState(entry, { ...restarting, furtherPlaces: others })
    expect(await ask(`/internal/labels/${label}-3000`)).toMatchObject({ state: 'ready', host: '10.0.0.2' })
    expect(await ask(`/internal/labels/${label}`)).toEqual({ state: 'starting' })
  })

  test('a port has no route if the row contains the address of an earlier pod', async () => {
    const { label, entry } = await aShop()
    const earlier = JSON.stringify({ ...places, 'db:5432': { host: '10.0.9.9', port: 5432 } })
    await context.sql`update instances set further_places = ${earlier}::text::jsonb where id = ${entry}`
    expect(await ask(`/internal/labels/${label}-5432`)).toEqual({ state: 'starting' })
    expect(await ask(`/internal/labels/${label}-3000`)).toMatchObject({ state: 'ready', host: '10.0.0.2' })
  })
})

test.each([{ speaks: 'tcp' }, { isRaw: true }, { hasOwnCertificate: true }])(
  'the api refuses to guard a challenge if the gateway cannot parse requests to the challenge: %o',
  async (changes) => {
    const { challenge } = await aPlayed()
    const { client: admin } = await signInAsNewUser(context, 'Admin')
    const reach = `/api/edit/games/${challenge.gameId}/challenges/${challenge.id}/reach`
    const answer = await admin.put(reach, {
      ...{ speaks: 'http', isRaw: false, hasOwnCertificate: false, isGuarded: true },
      ...changes,
    })
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'challenge.guard'])
    expect((await admin.get(reach)).json()).toMatchObject({ speaks: 'tcp', isGuarded: false })
  },
)

test("organizers see which access methods the installation offers, and whether instances share the platform's site", async () => {
  const { client: admin } = await signInAsNewUser(context, 'Admin')
  expect((await admin.get('/api/edit/reach')).json()).toEqual({
    isDirect: false,
    domain: 'play.example.org',
    web: 'https',
    webPort: null,
    tlsPort: 1337,
    firstPort: 31_000,
    sharesSite: false,
  })
})
