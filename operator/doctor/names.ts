import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { hostname } from 'node:os'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import { type Orders, ordersVariable } from './orders.ts'

/** Names from which a challenge might learn who else plays, or what gives the right to connect to them. */

/** How long one look-up may take, and all reverse look-ups together, in milliseconds; and how many are under way at once. */
const lookUpMs = 2000
const allMs = 30_000
const atOnce = 64

/** Most networks of 256 addresses that are gone through. */
const mostNetworks = 12

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

const createResolver = () => new Resolver({ timeout: lookUpMs, tries: 1 })

/** The names or addresses that were found; none where there are none, or no answer. */
const look = (found: Promise<string[]>): Promise<string[]> => found.catch(() => [])

/** What a name server is not there for, nobody learns from it. */
async function needNameServer(domain: string): Promise<void> {
  const found = await look(createResolver().resolve4(`kubernetes.default.svc.${domain}`))
  if (found.length === 0) throw new Blocked('no name server answers')
}

/** Domain of the cluster, as the kubelet writes it into a pod. */
async function clusterDomain(): Promise<string> {
  const settings = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  return /^search\s.*\ssvc\.(\S+)/m.exec(settings)?.[1] ?? 'cluster.local'
}

/** Every address of the networks of 256 in which these lie, each once. */
export function addressesAround(hosts: readonly string[]): string[] {
  const networks = new Set(hosts.filter((host) => isIPv4(host)).map((host) => host.slice(0, host.lastIndexOf('.') + 1)))
  return [...networks].slice(0, mostNetworks).flatMap((network) => Array.from({ length: 256 }, (_, host) => `${network}${host}`))
}

/** Looks up one after the other, some at once, as far as time allows. @returns what was found, and how many were asked for */
async function reverseAll(addresses: readonly string[]) {
  const resolver = createResolver()
  const found: { address: string; name: string }[] = []
  const deadlineMs = performance.now() + allMs
  let asked = 0
  const work = async () => {
    while (asked < addresses.length && performance.now() < deadlineMs) {
      const address = addresses[asked++] ?? ''
      for (const name of await look(resolver.reverse(address))) found.push({ address, name })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { found, asked }
}

/** Pods of challenges and services of the cluster lie in the networks of those that are known. */
async function reverseLookUps({ targets, neighbour }: Orders): Promise<string> {
  if (neighbour === undefined) throw new Skipped('no other challenge is known')
  await needNameServer(await clusterDomain())
  const addresses = [neighbour.host, ...addressesAround([neighbour.host, ...targets.map(({ host }) => host)])]
  const { found, asked } = await reverseAll(addresses)
  const inNamespace = found.filter(({ name }) => name.includes(`.${neighbour.namespace}.svc.`))
  const telling = inNamespace.find(({ address, name }) => address === neighbour.host || uuid.test(name))
  if (telling) return `${telling.address} is ${telling.name}`
  throw new Blocked(`none of ${asked} addresses tells of a challenge`)
}

async function guessedNames({ neighbour }: Orders): Promise<string> {
  if (neighbour === undefined) throw new Skipped('no other challenge is known')
  const { name, namespace, host } = neighbour
  const domain = await clusterDomain()
  await needNameServer(domain)
  const suffix = `${namespace}.svc.${domain}`
  const resolver = createResolver()
  const guesses = [name, `${host.replaceAll('.', '-')}.${name}`, `${name}.${name}`, '*', 'any'].map((each) => `${each}.${suffix}`)
  for (const guess of guesses) {
    const found = [...(await look(resolver.resolve4(guess))), ...(await look(resolver.resolve6(guess)))]
    if (found.length > 0) return `${guess} is ${found[0]}`
  }
  for (const guess of [`_challenge._tcp.${name}.${suffix}`, `_challenge._tcp.*.${suffix}`, `*.*.${suffix}`]) {
    const found = await look(resolver.resolveSrv(guess).then((records) => records.map((record) => record.name)))
    if (found.length > 0) return `${guess} is ${found[0]}`
  }
  throw new Blocked('no such names')
}

/** Everything that a challenge sees of its own pod, but what the doctor was told. */
async function surroundings(): Promise<string> {
  const { [ordersVariable]: _orders, ...environment } = process.env
  const files = ['/etc/hostname', '/etc/hosts', '/etc/resolv.conf', '/proc/self/cgroup', '/proc/self/mountinfo']
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return [hostname(), JSON.stringify(environment), ...texts].join('\n')
}

async function ownRow({ rowId }: Orders): Promise<string> {
  if (rowId === undefined) throw new Skipped('no row is known')
  if ((await surroundings()).includes(rowId)) return 'it is there'
  throw new Blocked('nothing around it tells')
}

/** Whether names tell anything at all is asked with an egress that includes the name server. */
export function nameAttempts(orders: Orders): Attempt[] {
  const control = 'names that tell nothing'
  const withNameServer = (run: (orders: Orders) => Promise<string>) => async () => {
    if (orders.egress === 'None') throw new Skipped('egress None reaches no name server')
    return run(orders)
  }
  return [
    { title: 'learn of other challenges by reverse look-ups', control, run: withNameServer(reverseLookUps) },
    { title: 'look up another challenge by guessed names', control, run: withNameServer(guessedNames) },
    { title: 'find the UUID that gives the right to connect', control, run: () => ownRow(orders) },
  ]
}
