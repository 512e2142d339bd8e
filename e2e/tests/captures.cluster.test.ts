import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { plural } from '@capstan/challenge-instance/definition'
import type { CaptureFigures } from '@capstan/contract/captures'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { operations, ownOperations } from '@capstan/contract/operations'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedDemoGame } from '../challenges/seed.ts'
import { ApiActor } from '../support/actors.ts'
import { launchBrowser } from '../support/browser.ts'
import {
  addRecordedChallenge,
  countListedPackets,
  downloadCaptures,
  echoPort,
  findInstanceCapture,
  lossesOfCapture,
  noLosses,
  waitForLastCaptureFile,
} from '../support/captures.ts'
import { findInstanceName, getObjects, installChart, type Release, runKubectl } from '../support/cluster.ts'
import {
  addReachableChallenge,
  connectionTarget,
  findAddresses,
  type MadeCertificate,
  makeCertificate,
  openTcp,
  openTls,
  runClient,
  sendLine as sayTo,
  storeCertificate,
  valuesWithAllWays,
  valuesWithoutWays,
} from '../support/instance-ways.ts'
import { checkCapturesWithTools, countPayloadBytesFromPort, countTextInFiles } from '../support/pcap.ts'
import { createPlayerInGame, startInstance, stopInstance } from '../support/player.ts'
import { poll } from '../support/poll.ts'
import { openPage } from '../support/story.ts'
import { connectToInstance } from '../support/tcp-over-websocket.ts'

const megabyte = 1024 * 1024
const echoImage = process.env.CAPSTAN_TEST_IMAGE ?? 'capstan/demo-echo:dev'
const releaseName = 'capstan-captures'
/** Kinds of objects that might remain after a release is uninstalled. */
const leftKinds =
  'pods,services,deployments,statefulsets,jobs,cronjobs,configmaps,secrets,serviceaccounts,persistentvolumeclaims,leases,roles,rolebindings,networkpolicies'

type ContainerState = Readonly<{
  name: string
  restartCount: number
}>
interface Pod {
  metadata: { name: string; uid: string; deletionTimestamp?: string; [key: string]: unknown }
  spec: PodSpec
  status: {
    phase: string
    podIP?: string
    conditions?: { type: string; status: string }[]
    containerStatuses?: ContainerState[]
  }
}
interface PodSpec {
  containers: Container[]
  volumes?: object[]
  [key: string]: unknown
}
interface Container {
  name: string
  image: string
  securityContext: { capabilities: { add?: string[] }; privileged?: boolean }
  volumeMounts?: object[]
}

let release: Release
let monitor: ApiActor
let gameId: number
let challengeId: number
let certificate: MadeCertificate
let isInstalled = true
/** Recordings of the first test, which later tests use. */
let recorded: { teamName: string; files: Uint8Array[] }

beforeAll(async () => {
  // Create the certificate first, because the gateway does not start without it.
  certificate = await makeCertificate()
  await runKubectl('create', 'namespace', releaseName)
  await storeCertificate(releaseName, certificate)
  release = await installChart(releaseName, {
    ...valuesWithAllWays,
    'capture.enabled': 'true',
    'capture.limits.segmentMb': '4',
    'capture.limits.segmentSeconds': '5',
    'capture.limits.podMb': '256',
  })
  const { baseUrl, adminName, adminPassword } = release.world
  ;({ gameId } = await seedDemoGame({ baseUrl, adminName, adminPassword }))
  monitor = new ApiActor(baseUrl)
  await monitor.logIn(adminName, adminPassword)
  challengeId = await addRecordedChallenge(monitor, gameId, echoImage)
})
afterAll(() => (isInstalled ? release?.uninstall() : undefined))

async function play() {
  const player = await createPlayerInGame(release.world.baseUrl, gameId)
  const entry = await startInstance(player, challengeId)
  return { player, entry }
}
function connect(entry: string): Promise<Duplex> {
  return connectToInstance({ entry, baseUrl: release.world.baseUrl })
}
async function sendLine(entry: string, line: string): Promise<string> {
  const connection = await connect(entry)
  connection.write(`${line}\n`)
  // A terminating pod may accept the connection but not answer.
  const unanswered = once(connection, 'close').then(() => Promise.reject(new Error(`'${line}' was not answered`)))
  const [answer] = await Promise.race([once(connection, 'data'), unanswered])
  connection.destroy()
  return String(answer).trimEnd()
}
/**
 * Requests a number of MB from the instance and reads them.
 * @returns the received bytes
 */
async function pour(entry: string, count: number, onBytes?: (bytes: number) => void): Promise<number> {
  const connection = await connect(entry)
  connection.write(`pour ${count}\n`)
  let bytes = 0
  for await (const chunk of connection) {
    bytes += (chunk as Buffer).length
    onBytes?.(bytes)
  }
  return bytes
}
/** Destroys an instance as an admin, because an admin may destroy an instance immediately after its start. */
function destroy(entry: string) {
  return monitor.call(operations.destroyInstance, { params: { id: entry } })
}
function inInstances(...args: string[]) {
  return runKubectl('--namespace', release.instancesNamespace, ...args)
}
/** Kills the api and waits for its successor. Directly after the kill, the Deployment still reports its old status. */
async function killApi(): Promise<void> {
  const ofApi = '--selector=app.kubernetes.io/component=api'
  const before = (await getObjects<Pod>(release.namespace, 'pods', ofApi)).map(({ metadata }) => metadata.uid)
  await runKubectl('--namespace', release.namespace, 'delete', 'pod', ofApi, '--grace-period=0', '--force')
  const isNext = ({ metadata, status }: Pod) =>
    !before.includes(metadata.uid) && status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
  await poll('another api', async () => (await getObjects<Pod>(release.namespace, 'pods', ofApi)).some(isNext))
  await poll('the platform to answer', async () => (await fetch(`${release.world.baseUrl}/api/config`)).ok)
}
function objectOf(instanceId: string): Promise<string> {
  return findInstanceName(release.instancesNamespace, instanceId)
}
async function podOf(instanceId: string): Promise<Pod> {
  const name = await objectOf(instanceId)
  return poll('the pod', async () => {
    const pods = await getObjects<Pod>(release.instancesNamespace, 'pods')
    return pods.find(({ metadata }) => metadata.name === name)
  })
}
/**
 * Sends a dry run to the API server.
 * @returns `created`, or the error
 */
async function createAs(user: string, object: object): Promise<string> {
  const asking = promisify(execFile)('kubectl', ['--as', user, 'create', '--dry-run=server', '--filename=-'])
  asking.child.stdin?.end(JSON.stringify(object))
  return asking.then(
    () => 'created',
    (refusal: unknown) => String(refusal),
  )
}
/**
 * Waits until all files of an ended instance are stored.
 * @returns the capture state and the files of the instance
 */
async function finish(instanceId: string) {
  const capture = await waitForLastCaptureFile(monitor, gameId, instanceId)
  return { capture, files: await downloadCaptures(monitor, capture) }
}

/**
 * Checks that the files contain every byte that the instance sent, except for counted losses. A dropped packet may contain up to 64
 * KB.
 */
function expectPayload(files: readonly Uint8Array[], bytes: number, { droppedPackets, lostBytes }: CaptureFigures): void {
  const missing = bytes - countPayloadBytesFromPort(files, echoPort)
  expect(missing).toBeGreaterThanOrEqual(0)
  expect(missing).toBeLessThanOrEqual(droppedPackets * 65_535 + lostBytes)
}

describe('captures on a cluster', () => {
  test('recordings that a monitor downloads contain every frame of proxied traffic', async () => {
    const { player, entry } = await play()
    const line = 'a line for the record'
    expect(await sendLine(entry, line)).toBe(line)
    await poll('the monitor to see that it is recorded', async () => {
      return (await findInstanceCapture(monitor, gameId, entry))?.state === 'Recording'
    })
    await stopInstance(player, challengeId)
    const { capture, files } = await finish(entry)
    expect(capture).toMatchObject({ state: 'Complete', ...noLosses, teamName: player.teamName, files: files.length })
    // The instance echoes the line, so the files contain it twice.
    expect(countTextInFiles(files, line)).toBe(2)
    expect(await checkCapturesWithTools(files)).toBe(capture.packets)
    await poll('the instance to be gone', async () => (await getObjects(release.instancesNamespace, plural)).length === 0)
    recorded = { teamName: player.teamName, files }
  })

  test('a monitor downloads one file and all files in the browser, and then deletes the files', async () => {
    const { teamName, files } = recorded
    const browser = await launchBrowser()
    const { page, errors } = await openPage(browser, release.world.baseUrl, { actor: monitor })
    const save = async (name: RegExp) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).first().click()])
      return readFile(await download.path())
    }
    await page.goto(`/games/${gameId}/monitor/traffic`)
    await page.getByRole('button', { name: 'Listening post' }).click()
    await page.getByRole('button', { name: teamName }).click()
    await page.getByRole('link', { name: 'Download all' }).waitFor()
    expect(await page.getByRole('link', { name: /^Download (?!all)/ }).count()).toBe(files.length)
    // The newest file is listed first.
    expect((await save(/^Download (?!all)/)).equals(files.at(-1) ?? Buffer.alloc(0))).toBe(true)
    const archive = gunzipSync(await save(/^Download all$/))
    for (const file of files) expect(archive.includes(Buffer.from(file))).toBe(true)

    await page.getByRole('button', { name: 'Delete all' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Delete \d+ recording/ })
      .click()
    await page.getByText('No recordings left').waitFor()
    expect(errors).toEqual([])
    await browser.close()
  })

  test('the merged file contains the traffic of players, and the traffic between the containers of an instance', async () => {
    const { id: cid } = await monitor.call(operations.createChallenge, {
      params: { id: gameId },
      body: { title: 'Two posts', category: 'Misc', type: 'DynamicContainer' },
    })
    const params = { id: gameId, cid }
    const { challenge } = await monitor.call(ownOperations.getFullChallenge, { params })
    const small = { ...defaultContainer, image: echoImage, cpuTenths: 2, memoryMb: 128, storageMb: 128 }
    const containers: ChallengeContainer[] = [
      { ...small, name: 'page', port: echoPort, capture: 'all', dependsOn: [{ name: 'db', when: 'ready' }] },
      { ...small, name: 'db', port: null, definition: { furtherPorts: [echoPort] } },
    ]
    await monitor.call(ownOperations.replaceChallenge, {
      params,
      body: { challenge: { ...challenge, containers, enabled: true } },
    })
    const player = await createPlayerInGame(release.world.baseUrl, gameId)
    const entry = await startInstance(player, cid)
    // The container `db` echoes the request. The echo is not a valid HTTP response, so the entry container answers `refused`.
    expect(await sendLine(entry, `get http://db:${echoPort}/between`)).toBe('refused')
    await destroy(entry)
    const { capture, files } = await finish(entry)
    expect(capture).toMatchObject({ state: 'Complete', ...noLosses, files: files.length })
    const folder = { cid, pid: capture.participationId }
    const merged = (container?: string) =>
      monitor.download(ownOperations.downloadMergedCaptures, { params: folder, query: { ...(container && { container }) } })
    const [all, page, db] = await Promise.all([merged(), merged('page'), merged('db')])
    const contains = (file: Uint8Array, text: string) => countTextInFiles([file], text) > 0
    expect([page, db].map((file) => contains(file, 'GET /between'))).toEqual([true, true])
    expect([page, db].map((file) => contains(file, 'get http://db'))).toEqual([true, false])
    expect(countTextInFiles([all], 'GET /between')).toBe(countTextInFiles(files, 'GET /between'))
    const listed = await monitor.call(ownOperations.listCountedCaptures, { params: folder })
    expect(new Set(listed.map(({ container }) => container))).toEqual(new Set(['page', 'db']))
  })

  test('traffic through raw ports, TLS and host names is recorded, and its connections are listed', async () => {
    const offered = [{ port: echoPort, speaks: 'tcp' }] as const
    const reached = { image: 'capstan/demo-pages:dev', port: 8080, speaks: 'http', offered, isRecorded: true } as const
    const cid = await addReachableChallenge(monitor, gameId, reached)
    const player = await createPlayerInGame(release.world.baseUrl, gameId)
    const entry = await startInstance(player, cid)
    const [ofPages, ofLines] = [await findAddresses(player, cid), await findAddresses(player, cid, echoPort)]
    const node = new URL(release.world.baseUrl).hostname
    const placeAt = (address: string | undefined) => connectionTarget(address ?? '', node)
    const page = ofPages.get('http') ?? ''
    const web = connectionTarget(page, node)
    const known = ['--resolve', `${web.host}:${web.port}:${node}`, '--cacert', certificate.certificateFile]
    const curl = (path: string) => runClient('curl', ['--silent', '--show-error', '--fail', ...known, `${page}${path}`])
    // Repeat the request, because nodes start to forward a new port only after the instance is ready.
    const flag = await poll('the first page', async () => (await curl('flag')).trim())
    expect(flag).toMatch(/^flag\{reached_[0-9a-f]+\}$/)
    const byPort = await openTcp(placeAt(ofLines.get('tcp')))
    const byTls = await openTls(placeAt(ofLines.get('tls')), certificate)
    const answers = [sayTo(byPort, 'marked by port'), sayTo(byTls, 'marked by TLS'), curl('flag?marked-by-host')]
    for (const answer of await Promise.all(answers)) expect(answer.trim()).toBe(flag)
    for (const connection of [byPort, byTls]) connection.destroy()
    const ways = ['tcp', 'tls', 'http'] as const
    // The list starts with the newest connection, so the first connection of each kind is the newest connection of this
    // kind.
    const connections = await poll('the ends of all connections to be listed', async () => {
      const listed = await monitor.call(ownOperations.listConnections, { params: { id: gameId }, query: { challenge: cid } })
      const marked = ways.flatMap((way) => listed.find((each) => each.way === way) ?? [])
      return marked.length === ways.length && listed.every(({ closedAt }) => closedAt !== null) ? marked : undefined
    })
    for (const way of ways) {
      const connection = connections.find((each) => each.way === way)
      expect(connection).toMatchObject({ instanceId: entry, teamName: player.teamName, userName: null })
      expect(connection?.port).toBe(way === 'http' ? undefined : echoPort)
      expect(connection?.clientAddress).toMatch(/^\d+(\.\d+){3}$/)
      expect(connection?.bytesSent).toBeGreaterThanOrEqual('marked by '.length)
      expect(connection?.bytesReceived).toBeGreaterThanOrEqual(flag.length)
      expect(Date.parse(connection?.closedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(connection?.openedAt ?? ''))
    }
    await destroy(entry)
    const { capture, files } = await finish(entry)
    expect(capture).toMatchObject({ state: 'Complete', ...noLosses })
    const marks = ['marked by port', 'marked by TLS', 'marked-by-host']
    expect(marks.map((mark) => countTextInFiles(files, mark))).toEqual([1, 1, 1])
    // The test sends the flag four times: twice over TCP in a line, and twice over HTTP in a page.
    expect(countTextInFiles(files, flag)).toBe(4)
  })

  test('200 MB through one instance are recorded completely, or the counters show the losses', async () => {
    const { entry } = await play()
    expect(await pour(entry, 200)).toBe(200 * megabyte)
    const { status } = await podOf(entry)
    expect(status.containerStatuses?.find(({ name }) => name === 'capture')).toMatchObject({ restartCount: 0 })
    await destroy(entry)
    const { capture, files } = await finish(entry)
    console.log(`200 MB: ${files.length} files, losses ${JSON.stringify(lossesOfCapture(capture))}`)
    expectPayload(files, 200 * megabyte, capture)
    expect([capture.state, capture.gaps]).toEqual(['Complete', 0])
    const packets = await checkCapturesWithTools(files)
    expect([capture.packets, await countListedPackets(monitor, capture)]).toEqual([packets, packets])
  })

  test('recordings of an expired instance are retained', async () => {
    const { entry } = await play()
    expect(await sendLine(entry, 'said before the end')).toBe('said before the end')
    // Set the end to the current time. The api would revert an end in the future.
    const expiresAt = new Date().toISOString()
    await inInstances('patch', 'ci', await objectOf(entry), '--type=merge', '--patch', JSON.stringify({ spec: { expiresAt } }))
    const { capture, files } = await finish(entry)
    expect(capture).toMatchObject({ state: 'Complete', ...noLosses })
    expect(countTextInFiles(files, 'said before the end')).toBe(2)
  })

  test('recordings of a deleted pod are retained, and its successor is also recorded', async () => {
    const { entry } = await play()
    expect(await sendLine(entry, 'said to the first pod')).toBe('said to the first pod')
    const { metadata } = await podOf(entry)
    await inInstances('delete', 'pod', metadata.name, '--wait=false')
    await poll('another pod', async () => (await podOf(entry)).metadata.uid !== metadata.uid)
    expect(await poll('the new pod to answer', () => sendLine(entry, 'said to the second pod'))).toBeTruthy()
    await destroy(entry)
    const { capture, files } = await finish(entry)
    expect(capture).toMatchObject({ state: 'Complete', gaps: 0, lostFiles: 0 })
    expect([countTextInFiles(files, 'said to the first pod'), countTextInFiles(files, 'said to the second pod')]).toEqual([2, 2])
    await checkCapturesWithTools(files)
  })

  test('a forcibly deleted pod causes a gap, and its finished files remain available', async () => {
    const { entry } = await play()
    expect(await sendLine(entry, 'said in good time')).toBe('said in good time')
    const { metadata } = await podOf(entry)
    await poll('the first file', async () => ((await findInstanceCapture(monitor, gameId, entry))?.files ?? 0) > 0)
    await inInstances('delete', 'pod', metadata.name, '--grace-period=0', '--force')
    await poll('the new pod to be recorded', async () => {
      const capture = await findInstanceCapture(monitor, gameId, entry)
      return capture?.state === 'Recording' && capture.gaps === 1
    })
    await destroy(entry)
    const { capture, files } = await finish(entry)
    expect(capture).toMatchObject({ state: 'Incomplete', gaps: 1 })
    expect(countTextInFiles(files, 'said in good time')).toBe(2)
    await checkCapturesWithTools(files)
  })

  test('no packet is lost or duplicated if the api is killed while it fetches recordings', async () => {
    const { entry } = await play()
    expect(await pour(entry, 24)).toBe(24 * megabyte)
    await poll('the first file', async () => ((await findInstanceCapture(monitor, gameId, entry))?.files ?? 0) > 0)
    await killApi()
    expect(await pour(entry, 8)).toBe(8 * megabyte)
    await destroy(entry)
    const { capture, files } = await finish(entry)
    // Accept any number of dropped packets. The recorder may drop packets on a busy node, independently of the killed api.
    const { droppedPackets } = capture
    expect(capture).toMatchObject({ state: 'Complete', ...noLosses, droppedPackets, files: files.length })
    expectPayload(files, 32 * megabyte, capture)
    expect(await checkCapturesWithTools(files)).toBe(capture.packets)
  })

  test('a challenge cannot stop its recorder, read its files or fill its disk', async () => {
    const { entry } = await play()
    const pod = await podOf(entry)
    for (const host of [pod.status.podIP, '127.0.0.1'])
      expect(await sendLine(entry, `get http://${host}:19100/segments`)).toBe('refused')
    // The script acts like a compromised challenge. It checks the recorder's port, volume, process and capabilities.
    const script = `
      const { existsSync, readdirSync, readFileSync } = require('node:fs')
      const { createServer } = require('node:net')
      const processes = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((id) => readFileSync('/proc/' + id + '/comm', 'utf8'))
      const capabilities = /CapEff:\\s+(\\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]
      const server = createServer()
      const tell = (port) => {
        console.log(JSON.stringify({ port, volume: existsSync('/data'), recorder: processes.some((name) => /capture/.test(name)), capabilities }))
        server.close()
      }
      server.once('error', ({ code }) => tell(code)).once('listening', () => tell('taken')).listen(19100, '0.0.0.0')`
    const found = await inInstances('exec', pod.metadata.name, '--container', 'challenge', '--', 'node', '-e', script)
    expect(JSON.parse(found)).toEqual({ port: 'EADDRINUSE', volume: false, recorder: false, capabilities: '0000000000000000' })
    // The challenge writes 96 MB to its disk. The recorder's disk is not affected.
    expect(await sendLine(entry, 'fill')).toBe('filled')
    expect(await sendLine(entry, 'said with a full disk')).toBe('said with a full disk')
    await destroy(entry)
    const { capture, files } = await finish(entry)
    expect(capture).toMatchObject({ state: 'Complete', ...noLosses })
    expect(countTextInFiles(files, 'said with a full disk')).toBe(2)
  })

  test('no user of the API server can give NET_RAW to a container other than the recorder', async () => {
    const { entry } = await play()
    const { spec, metadata } = await podOf(entry)
    const operator = `system:serviceaccount:${release.namespace}:${releaseName}-operator`
    const create = async (change: (copy: PodSpec) => unknown): Promise<string> => {
      // Rename the copy and its Secret, because every challenge pod refers to a Secret with the name of the pod.
      const copy: PodSpec = JSON.parse(JSON.stringify(spec).replaceAll(metadata.name, 'copy'))
      delete copy.nodeName
      change(copy)
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'copy', namespace: release.instancesNamespace }, spec: copy }
      return createAs(operator, pod)
    }
    expect(metadata.name).toBe(await objectOf(entry))
    expect(await create(() => {})).toBe('created')
    const only = 'only the container capture has a capability'
    const of = (wanted: string) => (change: (container: Container) => void) => (copy: PodSpec) =>
      copy.containers.filter(({ name }) => name === wanted).forEach(change)
    const [ofChallenge, ofRecorder] = [of('challenge'), of('capture')]
    const attempts: [(copy: PodSpec) => unknown, string][] = [
      [ofChallenge(({ securityContext }) => Object.assign(securityContext.capabilities, { add: ['NET_RAW'] })), only],
      [
        ofRecorder((recorder) => Object.assign(recorder, { name: 'other' })),
        'only the recorder and the program that writes the flag file',
      ],
      [ofRecorder((recorder) => Object.assign(recorder, { image: echoImage })), only],
      [ofRecorder(({ securityContext }) => securityContext.capabilities.add?.push('NET_ADMIN')), only],
      [ofRecorder(({ securityContext }) => Object.assign(securityContext, { capabilities: {} })), 'drop all capabilities'],
      [ofRecorder(({ securityContext }) => Object.assign(securityContext, { privileged: true })), 'privileged'],
      [(copy) => Object.assign(copy, { volumes: [{ name: 'host', hostPath: { path: '/' } }] }), 'only empty volumes'],
      [(copy) => Object.assign(copy, { hostPID: true }), 'share no network, processes, memory or users'],
      [(copy) => Object.assign(copy, { automountServiceAccountToken: true }), 'no service account token'],
    ]
    for (const [change, refusal] of attempts) expect(await create(change)).toContain(refusal)
    await destroy(entry)
    await finish(entry)
  })

  test('the doctor finds that a recorded challenge is isolated and cannot reach its recorder', async () => {
    const report = await release.test()
    expect(report).toContain('Live messages reach every connection.')
    expect(report).toMatch(/^\d+ attempts: \d+ blocked, \d+ allowed or absent here, 0 escaped$/m)
    expect(report.match(/^blocked .* of challenge [12] /gm)?.length).toBeGreaterThanOrEqual(200)
    for (const attempt of [
      'reach vault of challenge 1 from page of challenge 1',
      'reach db of challenge 1 from page of challenge 2',
      'connect to db of challenge 2 from outside',
    ])
      expect(report).toMatch(new RegExp(`^blocked +${attempt} `, 'm'))
    for (const name of ['api', 'gateway', 'web', 'redis'])
      expect(report).toMatch(new RegExp(`^blocked +reach service \\S+-${name} `, 'm'))
    expect(report).toMatch(/^blocked +connect to another challenge from outside /m)
    for (const attempt of ['read recordings through localhost', 'stop the recording', 'use the sidecar’s port'])
      expect(report).toMatch(new RegExp(`^blocked +${attempt} `, 'm'))
  })

  test('a missing default-deny policy raises an alarm and fails the isolation test, and an upgrade restores the policy', async () => {
    await inInstances('delete', 'networkpolicy', 'default-deny')
    const waitForReason = (reason: string) =>
      poll(
        `the event ${reason}`,
        async () =>
          (await getObjects<{ reason: string }>(release.instancesNamespace, 'events')).some((event) => event.reason === reason),
        { everyMs: 500 },
      )
    await waitForReason('GuardMissing')
    await expect(release.test()).rejects.toThrow()
    const report = await runKubectl('--namespace', release.namespace, 'logs', `${releaseName}-doctor`)
    expect(report).toMatch(/^ESCAPED +run without the NetworkPolicy default-deny +network policy +it does not exist$/m)
    await release.upgrade()
    await waitForReason('GuardRestored')
  })

  test('after an upgrade, direct connections are recorded, and earlier instances are still reachable by proxy', async () => {
    const { entry: proxied } = await play()
    // The nodes have the same address as the site, so direct connections require `instances.allowSiteHost`.
    await release.upgrade({ ...valuesWithoutWays, 'instances.exposure': 'NodePort', 'instances.allowSiteHost': 'true' })
    expect(await poll('the proxy to answer', () => sendLine(proxied, 'said behind the proxy'))).toBe('said behind the proxy')
    await destroy(proxied)
    const { player, entry } = await play()
    const instance = await poll('the instance of the player', async () => {
      const page = await monitor.call(operations.listInstances)
      return page.data.find(({ team }) => team?.id === player.teamId)
    })
    const line = 'a line without a proxy between'
    const [host, port] = entry.split(':')
    const connection = await poll('the node to forward the port', async () => {
      const socket = createConnection(Number(port), host)
      return once(socket, 'connect').then(
        () => socket,
        () => undefined,
      )
    })
    connection.write(`${line}\n`)
    expect(String((await once(connection, 'data'))[0]).trimEnd()).toBe(line)
    connection.destroy()
    await destroy(instance.containerGuid)
    const { capture, files } = await finish(instance.containerGuid)
    expect(capture).toMatchObject({ state: 'Complete', ...noLosses, teamName: player.teamName })
    expect(countTextInFiles(files, line)).toBe(2)
    expect(await checkCapturesWithTools(files)).toBe(capture.packets)
  })

  test('an uninstallation during a recording leaves only those objects that the Helm notes mention', async () => {
    await play()
    const notes = await release.notes()
    await release.withdraw()
    await poll('the processes of the release to be gone', async () =>
      (await getObjects<Pod>(release.namespace, 'pods')).every(
        ({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase !== 'Running',
      ),
    )
    const left = (await runKubectl('--namespace', release.namespace, 'get', leftKinds, '--output', 'name')).trim().split('\n')
    const ofEveryNamespace = ['configmap/kube-root-ca.crt', 'serviceaccount/default']
    const ofTest = `secret/${valuesWithAllWays['instances.certificateSecret']}`
    const unnamed = left.filter(
      (name) => ![...ofEveryNamespace, ofTest].includes(name) && !notes.includes(name.replace(/^.*\//, '')),
    )
    expect(unnamed).toEqual([])
    for (const pod of ['doctor', 'live-check']) expect(left).toContain(`pod/${releaseName}-${pod}`)
    await release.uninstall()
    isInstalled = false
  })
})
