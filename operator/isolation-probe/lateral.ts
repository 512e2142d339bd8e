import { Resolver } from 'node:dns/promises'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Attempt, Blocked, Skipped } from './attempts.ts'
import { listNetworkAttempts, openConnectionTo, sendDnsQuery } from './network.ts'
import { type LateralPlan, type MemberTask, probePort } from './task.ts'

/**
 * Lateral attempts: a container tries to reach other containers and the cluster, and to resolve their names. It targets
 * all containers of other instances. In its own instance, the container targets only containers with which it shares no
 * network. The plan lists all targets, and all containers use the same plan.
 */

/** Time until a container asks its peers for the plan again, in ms. */
const askAgainMs = 200

/** Timeout of a request, in ms. */
const answerTimeoutMs = 3000

/** Time within which a permitted connection must succeed, in ms. */
const permittedTimeoutMs = 60_000

/** Reads everything that a server sends until the server closes the connection. */
function readAll(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host, port, timeout: answerTimeoutMs })
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.once('end', () => resolve(text))
    socket.once('timeout', () => socket.destroy(new Error('no answer')))
    socket.once('error', reject)
  })
}

/**
 * Asks other containers for the plan until one of them sends it. The doctor sends the plan only to one container, the
 * courier. The courier starts last, when the addresses of all other containers are known. The other containers get the
 * plan from containers with which they share a network.
 */
export async function fetchLateralPlanFromPeers(peers: readonly string[]): Promise<LateralPlan> {
  for (;;) {
    for (const peer of peers) {
      const text = await readAll(peer, probePort).catch(() => '')
      if (text.startsWith('{')) return JSON.parse(text) as LateralPlan
    }
    await pause(askAgainMs)
  }
}

/**
 * Tests a connection that must be possible. If a permitted connection fails, blocked connections prove nothing.
 * A busy peer may miss the first attempts, so they are repeated until the timeout.
 */
export async function requireConnection(open: () => Promise<string>, timeoutMs = permittedTimeoutMs): Promise<never> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const result = await open().catch((error: Error) => error)
    if (typeof result === 'string') throw new Skipped(`they share a network: ${result}`)
    if (performance.now() > deadlineMs) throw new Error(`a permitted connection failed: ${result.message}`)
    await pause(askAgainMs)
  }
}

const resolver = new Resolver({ timeout: answerTimeoutMs, tries: 1 })

/**
 * Returns a description of the first result of a DNS look-up.
 * @throws Blocked if the name server returns nothing
 */
async function lookUp(what: string, found: Promise<string[]>): Promise<string> {
  const [first] = await found.catch(() => [])
  if (first === undefined) throw new Blocked('it does not exist')
  return `${what} is ${first}`
}

export function listLateralAttempts({ instance, container, peers }: MemberTask, plan: LateralPlan): Attempt[] {
  const others = plan.members.filter((member) => member.instance !== instance || member.container !== container)
  const isPeer = (member: (typeof others)[number]) => member.instance === instance && peers.includes(member.container)
  const network = { control: 'network policy' } as const
  const name = { control: 'names without information' } as const
  const namesOfCluster = plan.egress === 'None' ? plan.clusterNames : []
  const strangers = others.filter((member) => !isPeer(member))
  const attempts: Attempt[] = [
    ...others.filter(isPeer).flatMap((peer): Attempt[] => [
      {
        ...network,
        title: `reach ${peer.container} by name`,
        run: () => requireConnection(() => openConnectionTo(peer.container, probePort)),
      },
      {
        ...network,
        title: `reach ${peer.container} by UDP`,
        run: () => requireConnection(() => sendDnsQuery(peer.host, probePort)),
      },
    ]),
    ...strangers.flatMap((stranger): Attempt[] => {
      const what = `${stranger.container} of ${stranger.instance}`
      return [
        { ...network, title: `reach ${what}`, run: () => openConnectionTo(stranger.host, probePort) },
        { ...network, title: `reach ${what} by UDP`, run: () => sendDnsQuery(stranger.host, probePort) },
        {
          ...name,
          title: `find the name of ${what} by its address`,
          run: () => lookUp(stranger.host, resolver.reverse(stranger.host)),
        },
      ]
    }),
    ...[
      ...strangers.filter((stranger) => stranger.instance === instance).map((stranger) => stranger.container),
      ...plan.names,
      ...namesOfCluster,
    ].map((each): Attempt => ({ ...name, title: `resolve ${each}`, run: () => lookUp(each, resolver.resolve4(each)) })),
    ...listNetworkAttempts(plan),
  ]
  return attempts.map((attempt) => ({ ...attempt, title: `${attempt.title} from ${container} of ${instance}` }))
}
