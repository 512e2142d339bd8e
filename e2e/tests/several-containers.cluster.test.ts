import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { defaultContainer } from '@capstan/contract/challenge-parts'
import type { ChallengeContainer } from '@capstan/contract/containers'
import { operations, ownOperations } from '@capstan/contract/operations'
import { zipSync } from 'fflate'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { hasSeveralContainers, listManifests, type ManifestProgram } from '../challenges/manifest.ts'
import { launchBrowser } from '../support/browser.ts'
import { waitForLastCaptureFile } from '../support/captures.ts'
import { findInstanceName, getObjects, installChart, type Release, runKubectl } from '../support/cluster.ts'
import {
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
import { Organizer } from '../support/organizer.ts'
import { createPlayerInGame, findFlag, type Player, startInstance, stopInstance } from '../support/player.ts'
import { poll } from '../support/poll.ts'
import { openChallenge, openPage, submitFlagByForm } from '../support/story.ts'

interface Pod {
  metadata: { name: string; uid: string; deletionTimestamp?: string }
}

const releaseName = 'capstan-several'
/** Node ports that no other release of the tests uses. */
const nodePorts = { 'instances.tlsPort': '30030', 'instances.ports': '30031-30034' }

const small = { ...defaultContainer, cpuTenths: 2, memoryMb: 128, storageMb: 128 }
const botPort = 8081
const bot = `require('http').createServer((_, answer) => answer.end('inner')).listen(${botPort})`
/** Three containers: a page and a database to which players can connect, and a bot to which only the database can connect. */
const containers: ChallengeContainer[] = [
  {
    ...small,
    ...{ name: 'page', image: 'capstan/demo-pages:dev', port: 8080 },
    reach: { speaks: 'http', isRaw: false, hasOwnCertificate: false },
    networks: [{ name: 'front', aliases: [] }],
    dependsOn: [{ name: 'db', when: 'ready' }],
  },
  {
    ...small,
    ...{ name: 'db', image: 'capstan/demo-echo:dev', port: null },
    networks: [
      { name: 'front', aliases: [] },
      { name: 'back', aliases: ['store'] },
    ],
    definition: {
      furtherPorts: [1337],
      offeredPorts: [{ port: 1337, speaks: 'tcp' }],
      readiness: { command: ['node', '-e', "require('net').connect(1337).on('connect', () => process.exit(0))"] },
    },
  },
  {
    ...small,
    ...{ name: 'bot', image: 'capstan/demo-echo:dev', port: null },
    networks: [{ name: 'back', aliases: [] }],
    definition: { command: ['node', '-e', bot], furtherPorts: [botPort] },
  },
]

let release: Release
let organizer: Organizer
let gameId: number
let certificate: MadeCertificate
let player: Player
let entry: string
let page: Place & { readonly address: string }
let database: Readonly<{ tcp: Place; tls: Place }>

beforeAll(async () => {
  certificate = await makeCertificate()
  await runKubectl('create', 'namespace', releaseName)
  await storeCertificate(releaseName, certificate)
  release = await installChart(releaseName, {
    ...valuesWithAllWays,
    ...nodePorts,
    'capture.enabled': 'true',
    'operator.terminals.enabled': 'true',
  })
  organizer = await Organizer.logIn(release.world)
  const { id } = await organizer.openGame()
  gameId = id
  const { id: cid } = await organizer.actor.call(operations.createChallenge, {
    params: { id },
    body: { title: 'Shop', category: 'Web', type: 'DynamicContainer' },
  })
  const params = { id, cid }
  const { challenge } = await organizer.actor.call(ownOperations.getFullChallenge, { params })
  const changed = { ...challenge, containers, enabled: true }
  await organizer.actor.call(ownOperations.replaceChallenge, { params, body: { challenge: changed } })
  player = await createPlayerInGame(release.world.baseUrl, id)
  entry = await startInstance(player, cid)
  const node = new URL(release.world.baseUrl).hostname
  const [toPage, toDatabase] = await Promise.all([findAddresses(player, cid), findAddresses(player, cid, 1337)])
  const address = toPage.get('http') ?? ''
  page = { ...connectionTarget(address, node), address }
  database = {
    tcp: connectionTarget(toDatabase.get('tcp') ?? '', node),
    tls: connectionTarget(toDatabase.get('tls') ?? '', node),
  }
  const ways = await player.actor.call(ownOperations.listInstanceWays, { params })
  expect(new Set(ways.map(({ port }) => port))).toEqual(new Set([undefined, 1337]))
})
afterAll(() => release?.uninstall())

function readPage(): Promise<string> {
  const { host, port, node, address } = page
  const known = ['--resolve', `${host}:${port}:${node}`, '--cacert', certificate.certificateFile]
  return runClient('curl', ['--silent', '--show-error', '--fail', ...known, `${address}flag`])
}

/** Opens the page's WebSocket `/echo`, which echoes texts. */
async function openSocket(): Promise<WebSocket> {
  const { host, port, node } = page
  const socket = new WebSocket(`wss://${host}:${port}/echo`, {
    ca: certificate.certificate,
    createConnection: () => connectTls({ host: node, port, servername: host, ca: certificate.certificate }),
  })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

async function echoOf(socket: WebSocket, text: string): Promise<string> {
  const heard = once(socket, 'message')
  socket.send(text)
  return String((await heard)[0])
}

function ended(connection: Duplex) {
  return once(connection.on('error', () => {}).resume(), 'close')
}

/** Deletes the pod of a container, and waits until its successor exists. */
async function replacePod(name: string): Promise<void> {
  const find = async () => {
    const all = await getObjects<Pod>(release.instancesNamespace, 'pods')
    return all.find(({ metadata }) => metadata.name === name && metadata.deletionTimestamp === undefined)
  }
  const before = await find()
  await runKubectl('--namespace', release.instancesNamespace, 'delete', 'pod', name, '--wait=false')
  await poll(`${name} to be replaced`, async () => {
    const after = await find()
    return after !== undefined && after.metadata.uid !== before?.metadata.uid
  })
}

/** Reads the flag from the database. Repeats the attempt, because the database may not have started yet. */
function readDatabase(open: () => Promise<Duplex>): Promise<string> {
  return poll('the database to answer', async () => {
    const connection = await open()
    try {
      return await Promise.race([sendLine(connection, 'flag'), ended(connection).then(() => undefined)])
    } finally {
      connection.destroy()
    }
  })
}

describe('an instance with three containers, and published ports for two of them', () => {
  const byPort = () => openTcp(database.tcp)

  test('players reach two containers by host name and by plain port, and each of these containers returns the flag', async () => {
    const flag = (await poll('the first page', readPage)).trim()
    expect(flag).toMatch(/^flag\{[-0-9a-f]+\}$/)
    expect(await readDatabase(byPort)).toBe(flag)
    expect(await readDatabase(() => openTls(database.tls, certificate))).toBe(flag)
    expect(database.tls.host).toBe(page.host.replace('.', '-1337.'))
  })

  test('players cannot connect to the inner container, but the database can connect to it by name', async () => {
    const connection = await byPort()
    expect(await sendLine(connection, `get http://bot:${botPort}/`)).toBe('200')
    expect(await sendLine(connection, 'dial page 8080')).toBe('open')
    connection.destroy()
    const host = database.tls.host.replace('-1337', `-${botPort}`)
    const closed = await openTls({ ...database.tls, host }, certificate).catch(() => undefined)
    if (closed) await ended(closed)
  })

  test('connections to one container continue while another container is replaced', async () => {
    const name = await findInstanceName(release.instancesNamespace, entry)
    const socket = await openSocket()
    const old = await byPort()
    const oldEnded = ended(old)
    await replacePod(`${name}-db`)
    await oldEnded
    expect(await echoOf(socket, 'still here')).toBe('still here')
    const flag = await readDatabase(byPort)
    expect(await echoOf(socket, 'and now')).toBe('and now')
    expect((await readPage()).trim()).toBe(flag)
    const fresh = await byPort()
    const socketEnded = once(socket, 'close')
    await replacePod(name)
    await socketEnded
    expect(await sendLine(fresh, 'flag')).toBe(flag)
    expect((await poll('the page to answer again', readPage)).trim()).toBe(flag)
    expect(await sendLine(fresh, 'team')).toBe(String(player.teamId))
    fresh.destroy()
  })
})

/** Fills in the open form of a container of the demo challenge. */
async function fillContainer(page: Page, { name, image, run, environment, receivesFlag, memoryMb }: ManifestProgram) {
  const field = (label: string) => page.getByRole('textbox', { name: label, exact: true })
  await field('Name').fill(name)
  await page.getByLabel('Image', { exact: true }).fill(image)
  await page.getByLabel('Memory', { exact: true }).fill(String(memoryMb))
  if (!(await field('Command').isVisible())) await page.getByText('Advanced settings').click()
  await field('Command').fill(run.join('\n'))
  await field('Variables').fill(
    Object.entries(environment)
      .map(([variable, value]) => `${variable}=${value}`)
      .join('\n'),
  )
  await page.getByRole('combobox', { name: 'Receives the flag' }).selectOption(receivesFlag ? 'yes' : 'no')
}

/** Downloads all recordings of a team for one challenge as one file. */
async function downloadCapture(page: Page, challenge: string, team: string): Promise<Buffer> {
  await page.goto(`/games/${gameId}/monitor/traffic`)
  await page.getByRole('button', { name: challenge }).click()
  await page.getByRole('button', { name: team }).click()
  const link = page.getByRole('link', { name: 'All in one file' })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return readFile(await download.path())
}

async function addPort(page: Page, port: number, protocol: string, label?: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a port' }).click()
  await page.getByRole('textbox', { name: 'Extra port 1', exact: true }).fill(String(port))
  await page.getByRole('combobox', { name: 'Protocol of extra port 1' }).selectOption(protocol)
  if (label !== undefined) await page.getByRole('textbox', { name: 'Label of extra port 1', exact: true }).fill(label)
}

test('an author builds the demo challenge of three containers and opens a terminal in it, a player solves it, and a monitor gets the merged capture', async () => {
  const { slug, title, programs } = listManifests().find(hasSeveralContainers)!
  const [office, ledger, watchman] = programs as readonly [ManifestProgram, ManifestProgram, ManifestProgram]
  const { id: cid } = await organizer.actor.call(operations.createChallenge, {
    params: { id: gameId },
    body: { title, category: 'Web', type: 'DynamicContainer' },
  })
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const author = await openPage(browser, release.world.baseUrl, { actor: organizer.actor })
  const { page } = author
  await page.goto(`/admin/games/${gameId}/challenges/${cid}?section=container`)
  const addNetwork = async () => {
    await page.getByRole('button', { name: 'Add a network' }).click()
    await page.getByRole('textbox', { name: 'Network 2', exact: true }).fill('back')
  }
  await page.getByRole('button', { name: 'Add a container' }).click()
  await fillContainer(page, ledger)
  await page.getByRole('textbox', { name: 'Network 1', exact: true }).fill('back')
  await addPort(page, ledger.port, 'inner')
  await page.getByRole('button', { name: /^main/ }).press('Enter')
  await fillContainer(page, office)
  await page.getByLabel('Port', { exact: true }).fill(String(office.port))
  await page.getByRole('combobox', { name: 'Protocol', exact: true }).selectOption('http')
  await page.getByRole('combobox', { name: 'Waits for ledger' }).selectOption('ready')
  await addNetwork()
  await page.getByRole('button', { name: 'Add a container' }).click()
  await fillContainer(page, watchman)
  await page.getByRole('combobox', { name: 'Waits for office' }).selectOption('ready')
  await addNetwork()
  await addPort(page, watchman.port, 'tcp', 'Log of the rounds')
  await page.getByRole('button', { name: /^office/ }).press('Enter')
  await page.getByRole('switch', { name: 'Record traffic', exact: true }).click()
  await page.getByRole('switch', { name: 'Record traffic between containers' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Challenge saved').first().waitFor()

  await page.getByRole('button', { name: 'Start test instance' }).click()
  await page.getByText('Running', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Containers and output' }).click()
  const dialog = page.getByRole('dialog')
  for (const { name, port } of programs) {
    await dialog.getByRole('radio', { name: new RegExp(`^${name}\\s*Ready`) }).check()
    await dialog.getByRole('log').getByText(`Listening on 0.0.0.0:${port}`).waitFor()
  }
  await dialog.getByRole('button', { name: 'Open a terminal' }).click()
  const terminal = dialog.getByRole('region', { name: 'Terminal' })
  await terminal.getByText('F6 leaves the terminal').waitFor()
  await terminal.getByRole('textbox').focus()
  await page.keyboard.type('echo "$(cat /etc/hostname) $((40 + 2))"\n')
  const shown = terminal.locator('.xterm-rows')
  await poll('the output of the command', async () => /watchman\s42/.test((await shown.textContent()) ?? ''))
  await terminal.getByRole('button', { name: 'Close the terminal' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('switch', { name: 'Enabled' }).click()
  await page.getByText(/^Players (with the link )?see it/).waitFor()

  const crew = await createPlayerInGame(release.world.baseUrl, gameId)
  const play = await openPage(browser, release.world.baseUrl, { actor: crew.actor })
  await openChallenge(play.page, gameId, slug)
  const panel = play.page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Start', exact: true }).click()
  await panel.getByRole('region', { name: 'Log of the rounds' }).waitFor()
  const entryOf = async () =>
    (await crew.actor.call(operations.getChallenge, { params: { id: gameId, cid } })).context.instanceEntry
  const instance = await poll('the instance to run', entryOf)
  const rounds = await findAddresses(crew, cid, watchman.port)
  const log = await openTcp(connectionTarget(rounds.get('tcp') ?? '', new URL(release.world.baseUrl).hostname))
  onTestFinished(() => void log.destroy())
  const lines = createInterface({ input: log })
  const isVisited = (async () => {
    for await (const line of lines) if (line.startsWith('Looked at /lamp/inspect')) return true
    return false
  })()
  const flag = await findFlag(crew, slug, instance)
  expect(await isVisited).toBe(true)
  await submitFlagByForm(play.page, flag)
  await panel
    .getByText(/Correct|Solved, /)
    .first()
    .waitFor()
  await stopInstance(crew, cid)

  await waitForLastCaptureFile(organizer.actor, gameId, instance)
  const merged = await downloadCapture(page, title, crew.teamName)
  expect(merged.includes('["report",')).toBe(true)
  // Only messages from the container `watchman` contain the flag.
  expect(merged.includes(flag)).toBe(true)
  expect([...author.errors, ...play.errors]).toEqual([])
})

/**
 * Files of the compose project `lodge`, as an archive. The image that the project builds is in the image store of the cluster.
 */
async function zipLodge(): Promise<Buffer> {
  const folder = new URL('../../operator/testing-images/lodge/', import.meta.url)
  const names = ['compose.yaml', 'Dockerfile', 'serve.mjs', 'site/index.html']
  const files = await Promise.all(names.map(async (name) => [`lodge/${name}`, await readFile(new URL(name, folder))] as const))
  return Buffer.from(zipSync(Object.fromEntries(files)))
}

test('an author imports a compose project with a bind, a healthcheck and an internal network, a player solves it, and a monitor gets its capture', async () => {
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const author = await openPage(browser, release.world.baseUrl, { actor: organizer.actor })
  const { page } = author
  await page.goto(`/admin/games/${gameId}/challenges/import`)
  const archive = { name: 'lodge.zip', mimeType: 'application/zip', buffer: await zipLodge() }
  await page.locator('input[accept=".zip,.csv"]').setInputFiles(archive)
  const report = page.getByRole('region', { name: 'Report' })
  await report.getByRole('spinbutton', { name: 'Memory' }).fill('128')
  await report.getByRole('spinbutton', { name: 'Memory' }).press('Enter')
  await page.getByRole('button', { name: 'Import 1 challenge', exact: true }).click()
  await page.getByRole('link', { name: 'lodge' }).click()
  await page.waitForURL(/\/challenges\/\d+/)
  const cid = Number(/\/challenges\/(\d+)/.exec(page.url())?.[1])

  // The image with the files of the bind mount is built outside of the browser, so the author enters the name of the image.
  await page.goto(`/admin/games/${gameId}/challenges/${cid}?section=container`)
  await page.getByRole('button', { name: /^page/ }).press('Enter')
  await page.getByLabel('Image', { exact: true }).fill('capstan/demo-lodge:dev')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Challenge saved').first().waitFor()
  await page.getByRole('switch', { name: 'Enabled' }).click()
  await page.getByText(/^Players (with the link )?see it/).waitFor()

  const crew = await createPlayerInGame(release.world.baseUrl, gameId)
  const play = await openPage(browser, release.world.baseUrl, { actor: crew.actor })
  await play.page.goto(`/games/${gameId}/challenges`)
  await play.page
    .getByRole('button', { name: 'lodge' })
    .or(play.page.getByRole('link', { name: 'lodge' }))
    .first()
    .click()
  const panel = play.page.getByRole('dialog')
  await panel.getByRole('button', { name: 'Start', exact: true }).click()
  const entryOf = async () =>
    (await crew.actor.call(operations.getChallenge, { params: { id: gameId, cid } })).context.instanceEntry
  const instance = await poll('the instance to run', entryOf)
  const address = (await findAddresses(crew, cid)).get('http') ?? ''
  const { host, port, node } = connectionTarget(address, new URL(release.world.baseUrl).hostname)
  const known = ['--resolve', `${host}:${port}:${node}`, '--cacert', certificate.certificateFile]
  const read = (path: string) => runClient('curl', ['--silent', '--show-error', '--fail', ...known, `${address}${path}`])
  expect(await poll('the bound page', () => read(''))).toContain('The lodge at the harbor')
  const flag = (await read('ask/flag')).trim()
  expect(flag).toBe('flag{signed by the keeper}')
  await submitFlagByForm(play.page, flag)
  await panel
    .getByText(/Correct|Solved, /)
    .first()
    .waitFor()
  await stopInstance(crew, cid)

  await waitForLastCaptureFile(organizer.actor, gameId, instance)
  const merged = await downloadCapture(page, 'lodge', crew.teamName)
  // The capture contains the request of the player, and the traffic of the visitor on the internal network.
  expect(merged.includes('GET /ask/flag')).toBe(true)
  expect(merged.includes('The visitor was here')).toBe(true)
  expect([...author.errors, ...play.errors]).toEqual([])
})
