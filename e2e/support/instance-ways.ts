import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { ChallengeSpeech, InstanceWay, OfferedPort } from '@capstan/contract/reach'
import type { ApiActor } from './actors.ts'
import { runKubectl } from './cluster.ts'
import type { Player } from './player.ts'

const run = promisify(execFile)

/**
 * Chart values that enable every kind of address for instances. They contain an example domain, and node ports that no other test
 * uses. The ports are at the start of the API server's range, which the API server assigns last.
 */
export const valuesWithAllWays = {
  'instances.domain': 'play.test',
  'instances.certificateSecret': 'play-test',
  'instances.tlsPort': '30010',
  'instances.ports': '30011-30026',
  'instances.service.type': 'NodePort',
  'instances.web.by': 'Gateway',
} as const

/** Helm values that undo `valuesWithAllWays`. A release with the exposure NodePort needs these values. */
export const valuesWithoutWays = {
  'instances.domain': '',
  'instances.certificateSecret': '',
  'instances.tlsPort': '0',
  'instances.ports': '',
  'instances.web.by': 'None',
} as const

export type MadeCertificate = Readonly<{
  certificateFile: string
  keyFile: string
  certificate: string
}>

/** Creates a self-signed certificate for every name below the domain. */
export async function makeCertificate(): Promise<MadeCertificate> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-certificate-'))
  const [certificateFile, keyFile] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')]
  const domain = valuesWithAllWays['instances.domain']
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:${domain},DNS:*.${domain}`],
    ...['-keyout', keyFile, '-out', certificateFile],
  ])
  return { certificateFile, keyFile, certificate: await readFile(certificateFile, 'utf8') }
}

/** Creates or replaces the Secret with the release's certificate. */
export async function storeCertificate(namespace: string, { certificateFile, keyFile }: MadeCertificate): Promise<void> {
  const secret = await runKubectl(
    ...['--namespace', namespace, 'create', 'secret', 'tls', valuesWithAllWays['instances.certificateSecret']],
    ...['--cert', certificateFile, '--key', keyFile, '--dry-run=client', '--output=yaml'],
  )
  const running = run('kubectl', ['--namespace', namespace, 'apply', '--server-side', '--filename=-'])
  running.child.stdin?.end(secret)
  await running
}

export type ReachableChallenge = Readonly<{
  image: string
  port: number
  speaks: ChallengeSpeech
  /** Additional ports that players see. */
  offered?: readonly OfferedPort[]
  isRecorded?: boolean
}>

/**
 * Adds a challenge with this image and one instance per team.
 * @returns the id of the challenge
 */
export async function addReachableChallenge(
  organizer: ApiActor,
  gameId: number,
  { image, port, speaks, offered = [], isRecorded = false }: ReachableChallenge,
): Promise<number> {
  const { id: cid } = await organizer.call(operations.createChallenge, {
    params: { id: gameId },
    body: { title: `Reached by ${speaks}`, category: 'Misc', type: 'DynamicContainer' },
  })
  const params = { id: gameId, cid }
  await organizer.call(operations.updateChallenge, {
    params,
    body: {
      containerImage: image,
      containerExposePort: port,
      flagTemplate: 'flag{reached_[TEAM_HASH]}',
      memoryLimit: 128,
      enableTrafficCapture: isRecorded,
    },
  })
  await organizer.call(ownOperations.setChallengeReach, { params, body: { speaks, isRaw: false, hasOwnCertificate: false } })
  if (offered.length > 0) {
    const body = { furtherPorts: offered.map((each) => each.port), offeredPorts: [...offered] }
    await organizer.call(ownOperations.setContainerDefinition, { params, body })
  }
  await organizer.call(operations.updateChallenge, { params, body: { isEnabled: true } })
  return cid
}

/** Returns the addresses of a port of the player's instance, by kind of connection. Default: the port of the entry container. */
export async function findAddresses(
  { actor, gameId }: Player,
  cid: number,
  furtherPort?: number,
): Promise<ReadonlyMap<InstanceWay, string>> {
  const ways = await actor.call(ownOperations.listInstanceWays, { params: { id: gameId, cid } })
  return new Map(ways.filter(({ port }) => port === furtherPort).map(({ way, address }) => [way, address]))
}

/**
 * Host name and port of an instance. `node` is the address to which a test connects, because no DNS server of the test
 * resolves the host name.
 */
export type Place = Readonly<{
  host: string
  port: number
  node: string
}>

/** @param address `host:port`, or a web address */
export function connectionTarget(address: string, node: string): Place {
  const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`)
  return { host: hostname, port: Number(port), node }
}

export async function openTcp({ node, port }: Place): Promise<Duplex> {
  const socket = connect({ host: node, port })
  await once(socket, 'connect')
  return socket
}

/** Opens a TLS connection with this server name and verifies the certificate. */
export async function openTls({ node, port, host }: Place, { certificate }: MadeCertificate): Promise<TLSSocket> {
  const socket = connectTls({ host: node, port, servername: host, ca: certificate })
  await once(socket, 'secureConnect')
  return socket
}

/** Sends a line, and waits for the line that the server sends back. */
export async function sendLine(connection: Duplex, line: string): Promise<string> {
  const heard = once(connection, 'data')
  connection.write(`${line}\n`)
  return String((await heard)[0]).trim()
}

/**
 * Runs a program on the player's machine.
 * @returns the output of the program; the function returns when the program has ended or when the output matches
 * `until`
 */
export function runClient(
  command: string,
  args: readonly string[],
  input = '',
  until?: RegExp,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const child = execFile(command, args, { timeout: 120_000, env }, (error, stdout, stderr) => {
      if (until?.test(text)) resolve(text)
      else if (error)
        reject(new Error(`${command} ended with ${error.code ?? error.signal}: ${stdout}${stderr}`, { cause: error }))
      else resolve(stdout)
    })
    child.stdin?.on('error', () => {})
    // With `until`, leave the input open. Some clients stop when their input ends, before the response arrives.
    if (until === undefined) child.stdin?.end(input)
    else child.stdin?.write(input)
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (until?.test(text)) child.kill()
    })
  })
}
