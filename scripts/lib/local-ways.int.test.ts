import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { createProcessRuntime } from '@capstan/api/instances/lifecycle/process-runtime'
import { readConfig } from '@capstan/api/server/config'
import { systemClock } from '@capstan/api/server/http/clock'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { requiredEnvironment } from '@capstan/api/testing/environment'
import { aChallenge } from '@capstan/api/testing/organizing-factories'
import { aPlayer } from '@capstan/api/testing/playing-factories'
import type { InstanceAccess } from '@capstan/contract/reach'
import { buildGateway, type Gateway } from '@capstan/gateway/gateway'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listDemoImages } from '../../e2e/challenges/images.ts'
import { demoImageName, getManifest, hasContainer, readDescription } from '../../e2e/challenges/manifest.ts'
import { createSolveContext, loadSolver, type SolveContext } from '../../e2e/challenges/solve-context.ts'
import { findChromium, isProgramInstalled, launchBrowser } from '../../e2e/support/browser.ts'
import { runClient } from '../../e2e/support/instance-ways.ts'
import { expectedResultOfVisit, visitApplicationPages, visitServiceWorkerPage } from '../../e2e/support/pages-visit.ts'
import { installPwntools } from '../../e2e/support/pwntools.ts'
import { connectToInstance } from '../../e2e/support/tcp-over-websocket.ts'
import { type LocalWays, openInstanceAddresses } from './local-ways.ts'

/** Web application for tests, which the cluster tests also use. */
const pages = {
  image: 'capstan/demo-pages:dev',
  command: [process.execPath, 'serve.mjs'] as const,
  cwd: path.join(import.meta.dirname, '..', '..', 'operator', 'testing-images', 'pages'),
}

let context: TestApp
let gateway: Gateway
let site: Server
let ways: LocalWays
let port: number
beforeAll(async () => {
  site = createServer((request, response) => {
    if (!gateway.handle(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  port = (site.address() as AddressInfo).port
  ways = await openInstanceAddresses('127.0.0.1', port)
  const { instances } = readConfig({ ...requiredEnvironment, ...ways.environment })
  const runtime = createProcessRuntime({ clock: systemClock, images: [...listDemoImages(), pages] })
  const config = { instances: { ...instances, readyTimeoutMs: 20_000 } }
  context = await startTestApp({ config, deps: { runtime } })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  gateway = buildGateway(
    {
      internalToken: 'a secret for tests only',
      trustedProxies: false,
      publicOrigin: undefined,
      maxHubWaitingBytes: 65_536,
      ways: ways.config,
    },
    { backend: context.gatewayBackend, bus: context.deps.bus, log },
  )
  gateway.attach(site)
  ways.attach(gateway)
})
afterAll(async () => {
  const closed = ways.close()
  await gateway.close()
  site.closeAllConnections()
  site.close()
  await closed
  await context.deps.runtime.close()
  await context.close()
})

/**
 * Starts an instance of a demo challenge for a player.
 * @returns the player, the flag, the addresses of the instance, and a function that solves the challenge
 */
async function startDemo(slug: string, speaks: 'tcp' | 'http') {
  const manifest = getManifest(slug)
  if (!hasContainer(manifest)) throw new Error(`${slug} has no container`)
  const { port, memoryMb } = manifest
  const solveBy = async (means: Partial<SolveContext>): Promise<string> =>
    (await loadSolver(slug))({ ...createSolveContext({ description: readDescription(manifest) }), ...means })
  return { ...(await startChallenge({ containerImage: demoImageName(manifest), port, memoryMb, speaks })), solveBy }
}

type Started = Readonly<{
  containerImage: string
  port: number
  memoryMb: number
  speaks: 'tcp' | 'http'
}>

async function startChallenge(started: Started) {
  const challenge = await aChallenge(context.db, {
    type: 'DynamicContainer',
    flagTemplate: 'flag{reached_[TEAM_HASH]}',
    // Request a plain port, because by default an HTTP challenge has no plain port.
    container: { plainPort: true },
    ...started,
  })
  const player = await aPlayer(context, { gameId: challenge.gameId, challengeIds: [challenge.id] })
  const container = `/api/game/${challenge.gameId}/container/${challenge.id}`
  const { entry } = (await player.client.post(container)).json()
  const list = (await player.client.get(`${container}/ways`)).json() as InstanceAccess[]
  const [assignment] = await context.sql`select flag from assignments where challenge_id = ${challenge.id}`
  const addressOf = (way: InstanceAccess['way']): string => list.find((found) => found.way === way)?.address ?? ''
  return { player, container, entry, list, flag: String(assignment?.flag), addressOf }
}

/**
 * Returns a `fetch` that connects to this machine and sends `host` as the host name. Browsers resolve names below localhost in the
 * same way.
 */
function fetchBy(host: string): SolveContext['fetch'] {
  return (path, init = {}) =>
    new Promise((resolve, reject) => {
      const headers = { ...init.headers, host }
      const asked = request(
        { host: '127.0.0.1', port, path, method: init.method ?? 'GET', headers, agent: false },
        (response) => {
          buffer(response).then(
            (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: () => body.toString() }),
            reject,
          )
        },
      )
      asked.on('error', reject)
      asked.end(init.body)
    })
}

/** Splits `host:port` into host and port. */
function partsOf(address: string): { host: string; port: number } {
  const url = new URL(`tcp://${address}`)
  return { host: url.hostname, port: Number(url.port) }
}

async function throughTls(address: string) {
  const parts = partsOf(address)
  return connectTls({ port: parts.port, host: '127.0.0.1', servername: parts.host, rejectUnauthorized: false })
}

/** Addresses of an instance, by the kind of connection. */
type Places = Readonly<{
  site: string
  tls: Readonly<{ host: string; port: string }>
  tcp: Readonly<{ host: string; port: string }>
}>

describe('the default addresses of instances on this machine', () => {
  test('a TCP instance returns its flag by port, TLS and WebSocket', async () => {
    const demo = await startDemo('harbour-seal', 'tcp')
    expect(demo.list.map(({ way }) => way)).toEqual(['tcp', 'tls', 'websocket'])
    expect(demo.entry).toMatch(/^[0-9a-f-]{36}$/)
    expect(demo.addressOf('websocket')).toBe(`/api/proxy/${demo.entry}`)
    const plain = partsOf(demo.addressOf('tcp'))
    expect(plain.host).toBe('localhost')
    const byPort = async () => connect({ port: plain.port, host: '127.0.0.1' })
    expect(await demo.solveBy({ connect: byPort })).toBe(demo.flag)
    expect(await demo.solveBy({ connect: () => throughTls(demo.addressOf('tls')) })).toBe(demo.flag)
    const byWebSocket = () => connectToInstance({ entry: demo.entry, baseUrl: `http://127.0.0.1:${port}` })
    expect(await demo.solveBy({ connect: byWebSocket })).toBe(demo.flag)
  })

  test('an HTTP instance answers at its host name, at its TLS address and at its TCP port', async () => {
    const demo = await startDemo('chandlery', 'http')
    expect(demo.list.map(({ way }) => way)).toEqual(['http', 'tls', 'tcp', 'websocket'])
    const { protocol, host } = new URL(demo.addressOf('http'))
    expect([protocol, host]).toEqual(['http:', expect.stringMatching(new RegExp(`^[a-z2-7]{20}\\.localhost:${port}$`))])
    expect(await demo.solveBy({ fetch: fetchBy(host) })).toBe(demo.flag)
    const byPort = async () => connect({ port: partsOf(demo.addressOf('tcp')).port, host: '127.0.0.1' })
    expect(await demo.solveBy(createSolveContext({ description: '', connect: byPort }))).toBe(demo.flag)
    const secure = connectTls({
      port: ways.tlsPort,
      host: '127.0.0.1',
      servername: host.split(':')[0] ?? '',
      rejectUnauthorized: false,
    })
    secure.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    expect((await buffer(secure)).toString()).toMatch(/^HTTP\/1\.1 200 /)
  })

  const startPages = async () => {
    const { image: containerImage } = pages
    const { addressOf, flag } = await startChallenge({ containerImage, port: 8080, memoryMb: 128, speaks: 'http' })
    const placeOf = (way: 'tls' | 'tcp') => {
      const { host, port } = partsOf(addressOf(way))
      return { host, port: String(port) }
    }
    const [tls, tcp] = [placeOf('tls'), placeOf('tcp')]
    return { site: addressOf('http'), tls, tcp, flag, request: `GET /flag HTTP/1.1\r\nHost: ${tls.host}\r\n\r\n` }
  }

  test.skipIf(!findChromium())('let a browser log in, send 100 MB, read a range, use a WebSocket and save a file', async () => {
    const { site, flag } = await startPages()
    const browser = await launchBrowser()
    onTestFinished(() => browser.close())
    expect(new URL(site).hostname).toMatch(/^[a-z2-7]{20}\.localhost$/)
    const visit = await visitApplicationPages(browser, site)
    expect(visit).toEqual(expectedResultOfVisit(visit, site, flag))
  })

  test.skipIf(!findChromium())('isolate service workers: a worker affects only its instance and never the platform', async () => {
    const [{ site }, { site: ofOthers }] = await Promise.all([startPages(), startPages()])
    const browser = await launchBrowser()
    onTestFinished(() => browser.close())
    expect(await visitServiceWorkerPage(browser, site, [ofOthers, `http://localhost:${port}/hub/user`, site])).toEqual({
      before: '0 404',
      after: '1 200 Found by the watch',
      elsewhere: ['0 404', '0 404', '1 200 Found by the watch'],
    })
  })

  /**
   * Command-line clients with their arguments. Tests of clients that this machine lacks are skipped. The CI machine has all
   * clients.
   */
  const clients: [string, (places: Places) => readonly string[]][] = [
    ['curl', ({ site }) => ['--silent', '--show-error', `${site}flag`]],
    ['nc', ({ tcp }) => ['127.0.0.1', tcp.port]],
    ['ncat', ({ tls }) => ['--ssl', '--ssl-servername', tls.host, '127.0.0.1', tls.port]],
    ['socat', ({ tls }) => ['-t5', '-', `OPENSSL:127.0.0.1:${tls.port},snihost=${tls.host},verify=0`]],
    ['openssl', ({ tls }) => ['s_client', '-quiet', '-connect', `127.0.0.1:${tls.port}`, '-servername', tls.host]],
  ]
  test.each(clients.filter(([client]) => process.env.CI || isProgramInstalled(client)))(
    '%s can read the flag',
    async (client, argumentsFor) => {
      const { request, flag, ...places } = await startPages()
      const answer = await runClient(client, argumentsFor(places), request, new RegExp(flag.replace(/[{}]/g, '\\$&')))
      expect(answer).toContain(flag)
    },
  )

  // This test runs only in CI, because it installs pwntools from PyPI.
  test.skipIf(!process.env.CI)('pwntools can read the flag over TLS and over plain TCP', async () => {
    const { tls, tcp, request, flag } = await startPages()
    const pwntools = await installPwntools()
    onTestFinished(() => pwntools.remove())
    const printed = await pwntools.run([
      'context.log_level = "error"',
      `for io in (remote("127.0.0.1", ${tls.port}, ssl=True, sni="${tls.host}"), remote("127.0.0.1", ${tcp.port})):`,
      `    io.send(${JSON.stringify(request)}.encode())`,
      '    print(io.recvuntil(b"}", timeout=10).decode().split()[-1])',
      '    io.close()',
    ])
    expect(printed.trim().split('\n')).toEqual([flag, flag])
  })

  test('the host name and the port of an instance stop working when the instance stops', async () => {
    const demo = await startDemo('chandlery', 'http')
    const { host } = new URL(demo.addressOf('http'))
    expect((await fetchBy(host)('/')).status).toBe(200)
    context.clock.advanceMs(60_000)
    const stopped = await demo.player.client.delete(demo.container)
    expect(stopped.statusCode).toBe(200)
    await expect.poll(async () => (await fetchBy(host)('/')).status).toBe(410)
    const plain = connect({ port: partsOf(demo.addressOf('tcp')).port, host: '127.0.0.1' })
    expect((await buffer(plain).catch(() => Buffer.alloc(0))).length).toBe(0)
    expect((await demo.player.client.get(`${demo.container}/ways`)).json().code).toBe('instance.none')
  })

  test('the api records an HTTP connection to the host name of an instance', async () => {
    const demo = await startDemo('chandlery', 'http')
    await fetchBy(new URL(demo.addressOf('http')).host)('/')
    await expect
      .poll(
        async () =>
          await context.sql`select way, closed_at is not null as closed from proxy_connections where instance_id = ${demo.entry}`,
      )
      .toEqual([{ way: 'http', closed: true }])
  })
})
