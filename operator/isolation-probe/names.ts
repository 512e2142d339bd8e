import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { hostname } from 'node:os'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import { type ProbeTask, taskVariable } from './task.ts'

/** Tests whether a container can discover other challenges by DNS, or find the UUID of its instance. */

/** Timeout of one DNS look-up, in milliseconds. */
const lookUpTimeoutMs = 2000

/** Timeout of all reverse look-ups together, in milliseconds. */
const allLookUpsTimeoutMs = 30_000

const parallelLookUps = 64

/** Maximum number of networks (of 256 addresses each) to search. */
const maxNetworks = 12

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i

function createResolver() {
  return new Resolver({ timeout: lookUpTimeoutMs, tries: 1 })
}

/** Returns the results of a DNS look-up, or an empty list if it failed. */
function orNone(lookUp: Promise<string[]>): Promise<string[]> {
  return lookUp.catch(() => [])
}

/** @throws Blocked if no DNS server responds, because a challenge then cannot discover names by DNS */
async function requireNameServer(domain: string): Promise<void> {
  const found = await orNone(createResolver().resolve4(`kubernetes.default.svc.${domain}`))
  if (found.length === 0) throw new Blocked('no name server responds')
}

/** Returns the domain of the cluster, which the kubelet writes into /etc/resolv.conf of each pod. */
async function clusterDomain(): Promise<string> {
  const settings = await readFile('/etc/resolv.conf', 'utf8').catch(() => '')
  return /^search\s.*\ssvc\.(\S+)/m.exec(settings)?.[1] ?? 'cluster.local'
}

/** Returns all addresses of the /24 networks that contain these hosts. Each address occurs only once in the result. */
export function listAddressesNearHosts(hosts: readonly string[]): string[] {
  const networks = new Set(hosts.filter((host) => isIPv4(host)).map((host) => host.slice(0, host.lastIndexOf('.') + 1)))
  return [...networks].slice(0, maxNetworks).flatMap((network) => Array.from({ length: 256 }, (_, host) => `${network}${host}`))
}

/**
 * Looks up the names of addresses concurrently until the timeout.
 * @returns the names found, and the number of addresses looked up
 */
async function reverseAll(addresses: readonly string[]) {
  const resolver = createResolver()
  const found: { address: string; name: string }[] = []
  const deadlineMs = performance.now() + allLookUpsTimeoutMs
  let asked = 0
  const work = async () => {
    while (asked < addresses.length && performance.now() < deadlineMs) {
      const address = addresses[asked++] ?? ''
      for (const name of await orNone(resolver.reverse(address))) found.push({ address, name })
    }
  }
  await Promise.all(Array.from({ length: parallelLookUps }, work))
  return { found, asked }
}

/**
 * Looks up the names of all addresses near known addresses, because other pods and services may have addresses in the same
 * networks.
 */
async function reverseLookUps({ targets, neighbor }: ProbeTask): Promise<string> {
  if (neighbor === undefined) throw new Skipped('no other challenge is known')
  await requireNameServer(await clusterDomain())
  const addresses = [neighbor.host, ...listAddressesNearHosts([neighbor.host, ...targets.map(({ host }) => host)])]
  const { found, asked } = await reverseAll(addresses)
  const inNamespace = found.filter(({ name }) => name.includes(`.${neighbor.namespace}.svc.`))
  const leak = inNamespace.find(({ address, name }) => address === neighbor.host || uuid.test(name))
  if (leak) return `${leak.address} is ${leak.name}`
  throw new Blocked(`none of ${asked} addresses reveals a challenge`)
}

async function guessedNames({ neighbor }: ProbeTask): Promise<string> {
  if (neighbor === undefined) throw new Skipped('no other challenge is known')
  const { name, namespace, host } = neighbor
  const domain = await clusterDomain()
  await requireNameServer(domain)
  const suffix = `${namespace}.svc.${domain}`
  const resolver = createResolver()
  const guesses = [name, `${host.replaceAll('.', '-')}.${name}`, `${name}.${name}`, '*', 'any'].map((each) => `${each}.${suffix}`)
  for (const guess of guesses) {
    const found = [...(await orNone(resolver.resolve4(guess))), ...(await orNone(resolver.resolve6(guess)))]
    if (found.length > 0) return `${guess} is ${found[0]}`
  }
  for (const guess of [`_challenge._tcp.${name}.${suffix}`, `_challenge._tcp.*.${suffix}`, `*.*.${suffix}`]) {
    const found = await orNone(resolver.resolveSrv(guess).then((records) => records.map((record) => record.name)))
    if (found.length > 0) return `${guess} is ${found[0]}`
  }
  throw new Blocked('no such names exist')
}

/**
 * Returns everything that a challenge can read about its pod. The environment variable that contains the probe's task
 * is not included.
 */
async function readPodDescription(): Promise<string> {
  const { [taskVariable]: _task, ...environment } = process.env
  const files = ['/etc/hostname', '/etc/hosts', '/etc/resolv.conf', '/proc/self/cgroup', '/proc/self/mountinfo']
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  return [hostname(), JSON.stringify(environment), ...texts].join('\n')
}

async function findInstanceId({ instanceId }: ProbeTask): Promise<string> {
  if (instanceId === undefined) throw new Skipped('no UUID is known')
  if ((await readPodDescription()).includes(instanceId)) return 'it exists'
  throw new Blocked('its surroundings do not reveal it')
}

/**
 * Returns the attempts that use DNS names. If the egress of the challenge is None, attempts that need a name server are skipped.
 */
export function listDnsAttempts(task: ProbeTask): Attempt[] {
  const control = 'names without information'
  const withNameServer = (run: (task: ProbeTask) => Promise<string>) => async () => {
    if (task.egress === 'None') throw new Skipped('egress None reaches no name server')
    return run(task)
  }
  return [
    { title: 'find other challenges by reverse lookups', control, run: withNameServer(reverseLookUps) },
    { title: 'find another challenge by guessed names', control, run: withNameServer(guessedNames) },
    { title: 'find the UUID that permits connections', control, run: () => findInstanceId(task) },
  ]
}
