import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { definitionName, plural } from '@capstan/challenge-instance/definition'
import { instanceIdLabel } from '@capstan/challenge-instance/labels'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { operations, ownOperations } from '@capstan/contract/operations'
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { seedDemoGame } from '../challenges/seed.ts'
import { ApiActor } from '../support/actors.ts'
import { launchBrowser } from '../support/browser.ts'
import { chart, forwardPort, getObjects, installChart, type Release, runKubectl } from '../support/cluster.ts'
import { startCollector } from '../support/collector.ts'
import { type Crowd, startCrowd } from '../support/crowd.ts'
import {
  addReachableChallenge,
  connectionTarget,
  findAddresses,
  type MadeCertificate,
  makeCertificate,
  openTcp,
  openTls,
  type Place,
  runClient,
  sendLine,
  storeCertificate,
  valuesWithAllWays,
} from '../support/instance-ways.ts'
import { expectedResultOfVisit, visitApplicationPages } from '../support/pages-visit.ts'
import { createPlayerInGame, findChallenge, findFlag, type Player, startInstance, stopInstance } from '../support/player.ts'
import { poll } from '../support/poll.ts'
import { installPwntools, type Pwntools } from '../support/pwntools.ts'
import { openPage, playStoryOfNewPlayer } from '../support/story.ts'
import { connectToInstance } from '../support/tcp-over-websocket.ts'

interface ChallengeInstance {
  metadata: { name: string; labels: Record<string, string>; deletionTimestamp?: string }
  spec: { expiresAt: string }
  status?: { conditions?: { type: string; status: string; reason: string }[] }
}
interface Pod {
  metadata: { name: string; uid: string; labels?: Record<string, string>; deletionTimestamp?: string }
  status: { conditions?: { type: string; status: string }[] }
}

let release: Release
let collector: Awaited<ReturnType<typeof startCollector>>
let gameId: number
let player: Player
let certificate: MadeCertificate
/** Certificate that later replaces the first certificate in the Secret. */
let renewed: MadeCertificate
let echoChallengeId: number
/** Result of the installation of pwntools, which runs at the same time as the installation of the release. */
let installing: Promise<Pwntools>
const slug = 'harbour-seal'
async function metricsOfTheChart(): Promise<Set<string>> {
  const set = ['dashboard', 'alerts'].flatMap((part) => ['--set', `monitoring.${part}.enabled=true`])
  const images = ['--set', 'image.repository=registry.example/ctf']
  const { stdout } = await promisify(execFile)('helm', ['template', chart, ...images, ...set], { maxBuffer: 32 * 1024 * 1024 })
  return new Set(
    [...stdout.matchAll(/\b(?:capstan_(?:api|gateway|operator)|process|nodejs)_[a-z0-9_]+/g)].map(([metric]) => metric),
  )
}
function runScript(name: string, ...args: string[]) {
  return promisify(execFile)(process.execPath, [path.join(import.meta.dirname, '..', '..', 'scripts', name), ...args])
}

beforeAll(async () => {
  // Use ReadWriteMany, because processes on several nodes mount the volume during an upgrade.
  const values = { 'blobs.folder.accessMode': 'ReadWriteMany', 'tracing.endpoint': 'http://collector:4318', ...valuesWithAllWays }
  installing = installPwntools()
  // Ignore a failure here, because the tests that wait for the installation report the failure.
  installing.catch(() => {})
  // Create the certificate first, because the gateways do not start without it.
  certificate = await makeCertificate()
  await runKubectl('create', 'namespace', 'capstan-e2e')
  await storeCertificate('capstan-e2e', certificate)
  release = await installChart('capstan-e2e', values, 'previous')
  collector = await startCollector(release.namespace)
  const { baseUrl, adminName, adminPassword } = release.world
  ;({ gameId } = await seedDemoGame({ baseUrl, adminName, adminPassword }))
  player = await createPlayerInGame(baseUrl, gameId)
})
afterAll(() => release?.uninstall())
afterAll(async () => (await installing.catch(() => undefined))?.remove())

async function instanceOf(entry: string): Promise<ChallengeInstance | undefined> {
  const all = await getObjects<ChallengeInstance>(release.instancesNamespace, plural)
  return all.find(({ metadata }) => metadata.labels[instanceIdLabel] === entry)
}
function nodeAddress() {
  return new URL(release.world.baseUrl).hostname
}
function ended(connection: Duplex) {
  return once(connection.on('error', () => {}).resume(), 'close')
}
async function podsOf(): Promise<Pod[]> {
  return (await getObjects<Pod>(release.instancesNamespace, 'pods')).filter(({ metadata }) => !metadata.deletionTimestamp)
}
function isReady(pod: Pod): boolean {
  return pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
}

describe('a release on a cluster after one helm install', () => {
  let challengeId: number
  let entry: string

  test('the notes of helm show the address of the site', async () => {
    const [command = ''] = (await release.notes()).match(/echo "http:.*"$/m) ?? []
    const { stdout } = await promisify(execFile)('sh', ['-c', command])
    expect(stdout.trim()).toBe(release.world.baseUrl)
  })

  test('a player starts an instance, and kubectl shows that it is Ready', async () => {
    challengeId = (await findChallenge(player, slug)).id
    entry = await startInstance(player, challengeId)
    expect(entry).toMatch(/^[0-9a-f-]{36}$/)
    const instance = await instanceOf(entry)
    expect(instance?.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' })
    expect(await runKubectl('--namespace', release.instancesNamespace, 'get', 'ci')).toMatch(/True/)
  })

  test('the start of an instance is one trace from the web process through the api to the operator', async () => {
    const services = await poll(
      'the trace of the start to be collected',
      async () => {
        const spans = await collector.spans()
        const start = spans.find(({ name }) => name === 'POST /api/game/:id/container/:cid')
        const found = new Set(spans.filter(({ traceId }) => traceId === start?.traceId).map(({ service }) => service))
        return found.size >= 3 && found
      },
      { everyMs: 500 },
    )
    expect(services).toEqual(new Set(['capstan-web', 'capstan-api', 'capstan-operator']))
  })

  test('the platform accepts a flag that was read through the proxy', async () => {
    const flag = await findFlag(player, slug, entry)
    expect(await player.actor.submitFlag(gameId, challengeId, flag)).toBe('Accepted')
    const standing = await poll('the team to be on the scoreboard', async () => {
      const board = await player.actor.call(operations.getScoreboard, { params: { id: gameId } })
      const item = board.items.find(({ id }) => id === player.teamId)
      return item?.solvedCount === 1 ? item : undefined
    })
    expect(standing.solvedChallenges[0]).toMatchObject({ id: challengeId, type: 'FirstBlood' })
  })

  test('a deleted pod is replaced, and players reach the new pod at the same address', async () => {
    const [before] = await podsOf()
    await runKubectl('--namespace', release.instancesNamespace, 'delete', 'pod', before!.metadata.name, '--wait=false')
    await poll('a new pod to be ready', async () =>
      (await podsOf()).some((pod) => pod.metadata.uid !== before!.metadata.uid && isReady(pod)),
    )
    const connection = await poll('the proxy to reach the new pod', () =>
      connectToInstance({ entry, baseUrl: release.world.baseUrl }),
    )
    const [greeting] = await once(connection, 'data')
    expect(String(greeting).length).toBeGreaterThan(0)
    connection.destroy()
  })

  test('after an instance is destroyed, its pod, Secret and ChallengeInstance are removed', async () => {
    await stopInstance(player, challengeId)
    await poll('nothing to be left', async () => {
      const kinds = ['pods', 'services', 'secrets', plural]
      const left = await Promise.all(kinds.map((kind) => getObjects(release.instancesNamespace, kind)))
      return left.flat().length === 0
    })
  })

  test('an expired instance is removed, and the connections to it end', async () => {
    const other = await createPlayerInGame(release.world.baseUrl, gameId)
    const otherEntry = await startInstance(other, challengeId)
    const { metadata } = (await instanceOf(otherEntry))!
    const shell = await connectToInstance({ entry: otherEntry, baseUrl: release.world.baseUrl })
    const shellEnded = ended(shell)
    const expiresAt = new Date(Date.now() + 5_000)
    const isDeleted = async () => {
      await runKubectl(
        ...['--namespace', release.instancesNamespace, 'patch', 'challengeinstance', metadata.name, '--type=merge'],
        ...['--patch', JSON.stringify({ spec: { expiresAt: expiresAt.toISOString() } })],
      ).catch(() => undefined)
      return (await instanceOf(otherEntry)) === undefined
    }
    await poll('the expired instance to be gone', isDeleted)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime())
    await shellEnded
    await poll('the player to see that it is over', async () => {
      const { context } = await other.actor.call(operations.getChallenge, { params: { id: gameId, cid: challengeId } })
      return context.instanceEntry === null
    })
  })

  test('an image that cannot be pulled shows the organizer a clear message, and no object remains after the organizer stops the instance', async () => {
    const organizer = new ApiActor(release.world.baseUrl)
    await organizer.logIn(release.world.adminName, release.world.adminPassword)
    const params = { id: gameId }
    const challenge = await organizer.call(operations.createChallenge, {
      params,
      body: { title: 'Broken', category: 'Misc', type: 'DynamicContainer' },
    })
    const at = { id: gameId, cid: challenge.id }
    await organizer.call(operations.updateChallenge, {
      params: at,
      body: { containerImage: 'capstan/there-is-no-such-image:dev', containerExposePort: 80 },
    })
    const refusal = await organizer.call(operations.startTestContainer, { params: at }).catch((error: unknown) => error)
    expect(String(refusal)).toMatch(/image/i)
    await organizer.call(operations.stopTestContainer, { params: at })
    await poll(
      'the failed instance to be removed',
      async () => (await getObjects(release.instancesNamespace, plural)).length === 0,
    )
    await organizer.call(operations.deleteChallenge, { params: at })
  })

  test("only the operator may create pods in the instances' namespace", async () => {
    const made = runKubectl('--namespace', release.instancesNamespace, 'run', 'stranger', '--image=capstan/demo-echo:dev')
    await expect(made).rejects.toThrow('only the Capstan operator may create pods in this namespace')
  })

  describe('connections through the gateways’ own ports', () => {
    const isFlag = /flag\{reached_[0-9a-f]+\}/
    let sailor: Player
    let shell: Readonly<{ tcp: Place; tls: Place; entry: string }>
    let pages: Readonly<{ web: Place; address: string; flag: string; entry: string }>
    /** Addresses of the web application's second port, which serves lines over TCP. */
    let lines: Readonly<{ tcp: Place; tls: Place }>

    let organizer: ApiActor

    beforeAll(async () => {
      organizer = new ApiActor(release.world.baseUrl)
      await organizer.logIn(release.world.adminName, release.world.adminPassword)
      const [echo, web] = await Promise.all([
        addReachableChallenge(organizer, gameId, { image: 'capstan/demo-echo:dev', port: 1337, speaks: 'tcp' }),
        addReachableChallenge(organizer, gameId, {
          image: 'capstan/demo-pages:dev',
          port: 8080,
          speaks: 'http',
          offered: [{ port: 1337, speaks: 'tcp' }],
        }),
      ])
      echoChallengeId = echo
      sailor = await createPlayerInGame(release.world.baseUrl, gameId)
      const [echoEntry, pagesEntry] = await Promise.all([startInstance(sailor, echo), startInstance(sailor, web)])
      const [ofEcho, ofWeb, ofLines] = await Promise.all([
        findAddresses(sailor, echo),
        findAddresses(sailor, web),
        findAddresses(sailor, web, 1337),
      ])
      lines = {
        tcp: connectionTarget(ofLines.get('tcp') ?? '', nodeAddress()),
        tls: connectionTarget(ofLines.get('tls') ?? '', nodeAddress()),
      }
      shell = {
        tcp: connectionTarget(ofEcho.get('tcp') ?? '', nodeAddress()),
        tls: connectionTarget(ofEcho.get('tls') ?? '', nodeAddress()),
        entry: echoEntry,
      }
      const address = ofWeb.get('http') ?? ''
      pages = { web: connectionTarget(address, nodeAddress()), address, flag: '', entry: pagesEntry }
      // Repeat the request, because nodes start to forward a new port only after the instance is ready.
      pages = { ...pages, flag: await poll('the first page', async () => (await curl('flag')).trim()) }
    })

    const curl = (page: string, ...flags: string[]): Promise<string> => {
      const { host, port, node: at } = pages.web
      const known = ['--resolve', `${host}:${port}:${at}`, '--cacert', certificate.certificateFile]
      return runClient('curl', ['--silent', '--show-error', '--fail', ...known, ...flags, `${pages.address}${page}`])
    }

    test('curl reads the flag by host name over HTTPS, with HTTP/1.1 and HTTP/2', async () => {
      expect(pages.flag).toMatch(isFlag)
      const version = ['--write-out', ' HTTP/%{http_version}']
      expect(await curl('flag', '--http1.1', ...version)).toBe(`${pages.flag} HTTP/1.1`)
      expect(await curl('flag', '--http2', ...version)).toBe(`${pages.flag} HTTP/2`)
    })

    test('logins, redirects and uploads of an application work unchanged', async () => {
      expect(await curl('login', '--location', '--cookie', '')).toContain(`<output id="flag">${pages.flag}</output>`)
      const upload = ['--request', 'POST', '--header', 'Content-Type: application/octet-stream', '--data-binary', '@-']
      const { host, port, node: at } = pages.web
      const known = ['--resolve', `${host}:${port}:${at}`, '--cacert', certificate.certificateFile]
      const body = 'x'.repeat(8 * 1024 * 1024)
      const digest = createHash('sha256').update(body).digest('hex')
      expect(await runClient('curl', ['--silent', ...known, ...upload, `${pages.address}upload`], body)).toBe(
        `${body.length} ${digest}`,
      )
    })

    test('a browser logs in to a web application, sends 100 MB, reads a range, and uses a WebSocket', async () => {
      const browser = await launchBrowser([`--host-resolver-rules=MAP ${pages.web.host} ${pages.web.node}`])
      onTestFinished(() => browser.close())
      const visit = await visitApplicationPages(browser, pages.address)
      expect(visit).toEqual(expectedResultOfVisit(visit, pages.address, pages.flag))
    })

    test('the terminal on the page of the challenge shows the flag', async () => {
      const browser = await launchBrowser()
      onTestFinished(() => browser.close())
      const { page, errors } = await openPage(browser, release.world.baseUrl, { actor: sailor.actor })
      await page.goto(`/games/${gameId}/challenges/${echoChallengeId}`)
      await page.getByRole('dialog').getByRole('button', { name: 'Open terminal' }).click()
      const line = page.getByPlaceholder('Type a line and press Enter')
      await line.fill('flag')
      await line.press('Enter')
      const terminal = page.locator('.xterm-rows').first()
      await poll('the flag to be in the terminal', async () => isFlag.test((await terminal.textContent()) ?? ''))
      expect(errors).toEqual([])
    })

    test('pwntools from PyPI reads the flag by TLS with server name and by TCP', async () => {
      const pwntools = await installing
      const { host, port, node: at } = shell.tls
      const printed = await pwntools.run([
        'context.log_level = "error"',
        `for io in (remote("${at}", ${port}, ssl=True, sni="${host}"), remote("${shell.tcp.node}", ${shell.tcp.port})):`,
        '    io.sendline(b"flag")',
        '    print(io.recvline(timeout=10).decode().strip())',
        '    io.close()',
      ])
      const [byTls, byTcp, ...more] = printed.trim().split('\n')
      expect(byTls).toMatch(isFlag)
      expect([byTcp, more]).toEqual([byTls, []])
    })

    test('a WebSocket of the application returns the flag', async () => {
      const { host, port, node: at } = pages.web
      const socket = new WebSocket(`wss://${host}:${port}/socket`, {
        ca: certificate.certificate,
        createConnection: () => connectTls({ host: at, port, servername: host, ca: certificate.certificate }),
      })
      onTestFinished(() => socket.terminate())
      const [message] = await once(socket, 'message')
      expect(String(message)).toBe(pages.flag)
    })

    test.each<[string, () => Promise<string>]>([
      ['node by TCP', async () => sendLine(await openTcp(shell.tcp), 'flag')],
      ['node by TLS and its server name', async () => sendLine(await openTls(shell.tls, certificate), 'flag')],
      [
        'openssl s_client',
        () => {
          const { host, port, node: at } = shell.tls
          const trust = ['-CAfile', certificate.certificateFile, '-verify_return_error', '-verify_hostname', host]
          const args = ['s_client', '-quiet', '-connect', `${at}:${port}`, '-servername', host, ...trust]
          return runClient('openssl', args, 'flag\n', isFlag)
        },
      ],
      ['socat by TCP', () => runClient('socat', ['-t5', '-', `TCP:${shell.tcp.node}:${shell.tcp.port}`], 'flag\n')],
      [
        'socat by TLS',
        () => {
          const { host, port, node: at } = shell.tls
          const options = `cafile=${certificate.certificateFile},commonname=${host},snihost=${host}`
          return runClient('socat', ['-t5', '-', `OPENSSL:${at}:${port},${options}`], 'flag\n')
        },
      ],
      ['nc', () => runClient('nc', [shell.tcp.node, String(shell.tcp.port)], 'flag\n', isFlag)],
      ['ncat by TCP', () => runClient('ncat', [shell.tcp.node, String(shell.tcp.port)], 'flag\n', isFlag)],
      [
        'ncat by TLS',
        () => {
          const { host, port, node: at } = shell.tls
          return runClient('ncat', ['--ssl', '--ssl-servername', host, at, String(port)], 'flag\n', isFlag)
        },
      ],
      [
        'a client of the WebSocket proxy',
        async () => sendLine(await connectToInstance({ entry: shell.entry, baseUrl: release.world.baseUrl }), 'flag'),
      ],
    ])('a shell reads the flag by %s', async (_client, ask) => {
      expect(await ask()).toMatch(isFlag)
    })

    test('each port of a container with HTTP and TCP has separate addresses', async () => {
      expect(await sendLine(await openTcp(lines.tcp), 'flag')).toBe(pages.flag)
      expect(await sendLine(await openTls(lines.tls, certificate), 'flag')).toBe(pages.flag)
      expect((await curl('flag')).trim()).toBe(pages.flag)
      const [name] = pages.web.host.split('.')
      expect(lines.tls.host.split('.')[0]).toBe(`${name}-1337`)
      const instance = await instanceOf(pages.entry)
      expect(instance?.status).toMatchObject({
        ways: [
          { way: 'Http', address: 'https://*.play.test:30010/' },
          { way: 'Tls', address: '*.play.test:30010' },
          { way: 'Tcp', address: `play.test:${lines.tcp.port}`, port: 1337 },
          { way: 'Tls', address: '*-1337.play.test:30010', port: 1337 },
        ],
      })
      // A port that the challenge does not offer has no host name.
      const closed = await openTls({ ...lines.tls, host: lines.tls.host.replace('-1337', '-1338') }, certificate).catch(
        () => undefined,
      )
      if (closed) await ended(closed)
    })

    test('nc reads the flag at each raw port, and the connections end when the instance ends', async () => {
      const cid = await addReachableChallenge(organizer, gameId, {
        image: 'capstan/demo-pages:dev',
        port: 1337,
        speaks: 'tcp',
        offered: [{ port: 8080, speaks: 'tcp' }],
      })
      await startInstance(sailor, cid)
      const ways = await Promise.all([findAddresses(sailor, cid), findAddresses(sailor, cid, 8080)])
      const [first, further] = ways.map((each) => connectionTarget(each.get('tcp') ?? '', nodeAddress()))
      const nc = ({ node, port }: Place, words: string) => runClient('nc', [node, String(port)], words, isFlag)
      expect(await nc(first!, 'flag\n')).toMatch(isFlag)
      expect(await nc(further!, 'GET /flag HTTP/1.0\r\n\r\n')).toMatch(isFlag)
      const ends = [await openTcp(first!), await openTcp(further!)].map(ended)
      await stopInstance(sailor, cid)
      await Promise.all(ends)
      for (const place of [first!, further!]) await ended(await openTcp(place))
    })

    test('kubectl shows the addresses of the instance, but not the host name that permits a connection', async () => {
      const instance = await instanceOf(shell.entry)
      const { port } = shell.tcp
      expect(instance?.status).toMatchObject({
        ways: [
          { way: 'Tcp', address: `play.test:${port}` },
          { way: 'Tls', address: '*.play.test:30010' },
        ],
      })
      expect(JSON.stringify(instance)).not.toContain(shell.tls.host.split('.')[0])
    })

    test('connections of a destroyed instance end, and its names and ports stop working', async () => {
      const open = [await openTcp(shell.tcp), await openTls(shell.tls, certificate)]
      for (const connection of open) expect(await sendLine(connection, 'team')).toBe(String(sailor.teamId))
      const ends = open.map(ended)
      await stopInstance(sailor, echoChallengeId)
      await Promise.all(ends)
      await ended(await openTcp(shell.tcp))
      // The gateway accepts the TLS connection, because it shows an error page to browsers. If the client is not a
      // browser, the gateway closes the connection.
      const refused = await openTls(shell.tls, certificate).catch(() => undefined)
      if (refused) await ended(refused)
    })

    test('an admin renews the TLS certificate in the Secret', async () => {
      renewed = await makeCertificate()
      await storeCertificate(release.namespace, renewed)
    })
  })

  test('a new player registers, joins, solves a challenge and appears on the board in a browser', async () => {
    const browser = await launchBrowser()
    // The challenge already has a first blood. `playStoryOfNewPlayer` still sees a notice, because later bloods are
    // also announced.
    expect(await playStoryOfNewPlayer(browser, release.world.baseUrl, gameId, slug)).toEqual([])
    await browser.close()
  })

  test('every metric of the dashboard and the alerts is exported with a help text', async () => {
    const exported = new Map<string, string>()
    for (const name of ['api', 'gateway', 'web', 'operator']) {
      const selector = `--selector=app.kubernetes.io/component=${name}`
      const [pod] = await getObjects<Pod>(release.namespace, 'pods', selector, '--field-selector=status.phase=Running')
      const text = await runKubectl(
        'get',
        '--raw',
        `/api/v1/namespaces/${release.namespace}/pods/${pod!.metadata.name}:8081/proxy/metrics`,
      )
      for (const [, metric = '', help = ''] of text.matchAll(/^# HELP (\S+) (.*)$/gm)) exported.set(metric, help)
    }
    const used = new Set([...(await metricsOfTheChart())].map((metric) => metric.replace(/_(bucket|count)$/, '')))
    expect(used.size).toBeGreaterThan(20)
    expect([...used].filter((metric) => !exported.get(metric))).toEqual([])
  })

  test('a backup restored into a new release results in the same scoreboard, files and accounts', async () => {
    const folder = path.join(await mkdtemp(path.join(tmpdir(), 'capstan-backup-')), 'today')
    const copy = await installChart('capstan-copy', { 'crds.install': 'false' })
    try {
      await runScript('backup.mjs', '--release', release.name, '--namespace', release.namespace, folder)
      await runScript('restore.mjs', '--release', copy.name, '--namespace', copy.namespace, folder)
      const boardOf = async (baseUrl: string) => new ApiActor(baseUrl).call(operations.getScoreboard, { params: { id: gameId } })
      const [original, restored] = await Promise.all([boardOf(release.world.baseUrl), boardOf(copy.world.baseUrl)])
      expect(restored.items.filter(({ solvedCount }) => solvedCount > 0).length).toBeGreaterThan(0)
      expect(restored).toEqual({ ...original, updateTimeUtc: restored.updateTimeUtc })
      const again = new ApiActor(copy.world.baseUrl)
      await again.logIn(player.userName, player.password)
      const { id } = await findChallenge(player, 'signal-hoist')
      const { context } = await again.call(operations.getChallenge, { params: { id: gameId, cid: id } })
      expect((await (await again.get(context.url ?? '')).arrayBuffer()).byteLength).toBe(context.fileSize)
    } finally {
      await copy.uninstall()
    }
  })

  describe('updates of the platform while players are online', () => {
    const slots = 4
    let crowd: Crowd
    let before: Pod[]
    let holder: Player
    let shell: Readonly<{ tcp: Place; tls: Place }>

    beforeAll(async () => {
      const players = await Promise.all(Array.from({ length: slots }, () => createPlayerInGame(release.world.baseUrl, gameId)))
      const members = await Promise.all(
        players.map(async (member, index) => ({
          player: member,
          challengeId,
          // Only half of the players get an instance, because the start of an instance takes longer than the rest of the test.
          ...(index % 2 === 0 ? { entry: await startInstance(member, challengeId) } : {}),
        })),
      )
      holder = await createPlayerInGame(release.world.baseUrl, gameId)
      await startInstance(holder, echoChallengeId)
      const ways = await findAddresses(holder, echoChallengeId)
      shell = {
        tcp: connectionTarget(ways.get('tcp') ?? '', nodeAddress()),
        tls: connectionTarget(ways.get('tls') ?? '', nodeAddress()),
      }
      before = await podsOf()
      crowd = await startCrowd(members)
    })
    afterAll(() => crowd?.leave())

    /** Expects that no call has failed, and that flags are still judged. */
    const expectPeace = async () => {
      const { submissions, answers } = crowd.experience
      await poll('flags to be judged after the change', () => crowd.experience.submissions > submissions + slots * 3)
      await poll('instances to answer after the change', () => crowd.experience.answers > answers + slots)
      expect(crowd.experience.failures).toEqual([])
      // No connection through the proxy was closed, because the old gateways still serve their open connections.
      expect(crowd.experience.reconnects.proxy).toBe(0)
      const identity = (pods: Pod[]) => pods.map(({ metadata }) => metadata.uid).sort()
      expect(identity(await podsOf())).toEqual(identity(before))
    }
    /** Returns the running pods that are not terminating. Only these pods accept new connections. */
    const serving = async (...selector: string[]) =>
      (await getObjects<Pod>(release.namespace, 'pods', '--field-selector=status.phase=Running', ...selector)).filter(
        ({ metadata }) => !metadata.deletionTimestamp,
      )
    const versions = async () =>
      new Set((await serving()).map(({ metadata }) => metadata.labels?.['helm.sh/chart']).filter(Boolean))

    test('gateways use the renewed certificate without a restart', async () => {
      await poll(
        'the kubelet to bring the Secret, and every gateway to see it',
        async () => {
          // Connect several times, because the node selects a gateway at random for each connection.
          for (let connections = 0; connections < 20; connections += 1)
            (await openTls({ host: `${'a'.repeat(20)}.play.test`, port: 30_010, node: nodeAddress() }, renewed)).destroy()
          return true
        },
        { everyMs: 500 },
      )
    })

    test('helm upgrade from the previous chart loses no submission and preserves instances, and sockets reconnect', async () => {
      expect(await versions()).toEqual(new Set(['capstan-0.0.1']))
      const openConnections = [await openTcp(shell.tcp), await openTls(shell.tls, renewed)]
      await release.upgrade({ 'api.replicas': '2', 'gateway.replicas': '2' })
      await poll('only new pods to be there', async () => !(await versions()).has('capstan-0.0.1'))
      // Wait until all sockets have reconnected. Otherwise the test would prove nothing.
      await poll('all sockets to reconnect', () => crowd.experience.reconnects.hub >= slots)
      await expectPeace()
      // The old gateway still serves its open connections, and the new gateways serve new connections.
      for (const connection of [...openConnections, await openTcp(shell.tcp), await openTls(shell.tls, renewed)]) {
        expect(await sendLine(connection, 'team')).toBe(String(holder.teamId))
        connection.destroy()
      }
    })

    test('instances of a challenge continue after an upgrade, and after the challenge gets a list of containers', async () => {
      const organizer = new ApiActor(release.world.baseUrl)
      await organizer.logIn(release.world.adminName, release.world.adminPassword)
      const params = { id: gameId, cid: echoChallengeId }
      const { challenge } = await organizer.call(ownOperations.getFullChallenge, { params })
      const [entry] = challenge.containers ?? []
      const inner: ChallengeContainer = { ...defaultContainer, name: 'inner', image: 'capstan/demo-echo:dev', port: null }
      const containers = [entry, inner].flatMap((container) => container ?? [])
      await organizer.call(ownOperations.replaceChallenge, { params, body: { challenge: { ...challenge, containers } } })
      const newcomer = await createPlayerInGame(release.world.baseUrl, gameId)
      await startInstance(newcomer, echoChallengeId)
      const ways = await findAddresses(newcomer, echoChallengeId)
      const connection = await openTcp(connectionTarget(ways.get('tcp') ?? '', nodeAddress()))
      expect(await sendLine(connection, 'dial inner 1337')).toBe('open')
      connection.destroy()
      expect(await podsOf()).toHaveLength(before.length + 2)
      await stopInstance(newcomer, echoChallengeId)
      await poll('only the pods from before to be there', async () => (await podsOf()).length === before.length)
      await expectPeace()
    })

    test('every gateway receives the messages of every api', async () => {
      const open = async (component: string) => {
        const pods = await serving(`--selector=app.kubernetes.io/component=${component}`)
        return Promise.all(
          pods.map(async ({ metadata }) => {
            const { origin, close } = await forwardPort(release.namespace, metadata.name, 8080)
            onTestFinished(close)
            return origin
          }),
        )
      }
      const [apis, gateways] = await Promise.all([open('api'), open('gateway')])
      const heard = gateways.map((): string[] => [])
      const listeners = gateways.map((origin, index) => {
        const hub = new HubConnectionBuilder()
          .withUrl(`${origin}/hub/user?game=${gameId}`)
          .configureLogging(LogLevel.None)
          .build()
        hub.on('ReceivedGameNotice', (notice: { values: string[] }) => heard[index]?.push(...notice.values))
        onTestFinished(() => hub.stop())
        return hub
      })
      await Promise.all(listeners.map((hub) => hub.start()))
      const words = ['A word from the first api', 'A word from the second']
      for (const [index, origin] of apis.entries()) {
        const organizer = new ApiActor(origin)
        await organizer.logIn(release.world.adminName, release.world.adminPassword)
        await organizer.call(operations.addNotice, { params: { id: gameId }, body: { content: words[index] ?? '' } })
      }
      await poll('both words to be heard at both gateways', () =>
        heard.every((values) => words.every((word) => values.includes(word))),
      )
      expect([apis.length, gateways.length]).toEqual([2, 2])
    })

    test('helm rollback also loses no submission and preserves instances', async () => {
      await release.rollback()
      await poll(
        'only old pods to be there',
        async () => (await versions()).size === 1 && (await versions()).has('capstan-0.0.1'),
      )
      await expectPeace()
    })
  })

  test('helm uninstall retains the CRD, the data and the keys, and lists the retained objects', async () => {
    const last = await createPlayerInGame(release.world.baseUrl, gameId)
    const entryOfLast = await startInstance(last, challengeId)
    const shell = await connectToInstance({ entry: entryOfLast, baseUrl: release.world.baseUrl })
    const ended = once(shell.on('error', () => {}).resume(), 'close')
    const said = await release.withdraw()
    // The uninstallation ends all instances, and each connection ends with its instance. Gateways therefore need not wait until
    // their drain time has passed.
    await ended
    const ofRelease = '--selector=app.kubernetes.io/name=capstan'
    await poll(
      'the processes of the release to be gone',
      async () => (await getObjects(release.namespace, 'pods', ofRelease)).length === 0,
    ).catch(async (cause: unknown) => {
      const left = await runKubectl('--namespace', release.namespace, 'get', 'pods', '--output=wide', ofRelease)
      const said = await runKubectl('--namespace', release.namespace, 'logs', '--tail=20', '--prefix', ofRelease)
      throw new Error(`These are left:\n${left}\n${said}`, { cause })
    })
    const retained = [definitionName, 'capstan-e2e-blobs', 'capstan-e2e-admin', 'capstan-e2e-keys', 'capstan-e2e-database']
    for (const name of retained) expect(said).toContain(name)
    const names = async (kind: string) =>
      (await getObjects<{ metadata: { name: string } }>(release.namespace, kind)).map(({ metadata }) => metadata.name)
    expect(await names('persistentvolumeclaims')).toEqual(['capstan-e2e-blobs', 'data-capstan-e2e-postgresql-0'])
    expect(await names('secrets')).toEqual(expect.arrayContaining(retained.slice(2)))
    expect(await names('customresourcedefinitions')).toContain(definitionName)
  })
})
