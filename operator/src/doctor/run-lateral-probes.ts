import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { type Finding, runProbeAttempt } from '../../isolation-probe/attempts.ts'
import { type LateralPlan, type Member, type MemberTask, probePort, taskVariable } from '../../isolation-probe/task.ts'
import { readProbeFindings } from './probe-findings.ts'
import {
  createAttemptToReachChallenge,
  createTaskSecret,
  findingsTimeoutMs,
  type ProbeOptions,
  probeLimits,
  readyTimeoutMs,
  removeInstance,
} from './run-probes.ts'

type Further = NonNullable<ChallengeInstanceSpec['containers']>[number]

/** Container of an instance that makes lateral attempts. */
interface Role {
  name: string
  networks: readonly string[]
  /** True if players may connect to the container. */
  isPublished: boolean
}

/** Entry container of the instance. */
const page: Role = { name: 'page', networks: ['edge'], isPublished: true }

/** Containers that start first. Each container shares a network with some of the other containers, but not with all of them. */
const members: readonly Role[] = [
  page,
  { name: 'app', networks: ['edge', 'middle'], isPublished: true },
  { name: 'db', networks: ['middle', 'inner'], isPublished: false },
  { name: 'vault', networks: ['inner'], isPublished: false },
]

/**
 * Container that starts after the other containers. Its Secret contains their addresses. The other containers request
 * the addresses from this container.
 */
const courier: Role = { name: 'courier', networks: ['edge'], isPublished: false }

const roles: readonly Role[] = [...members, courier]

type LateralOptions = Pick<ProbeOptions, 'client' | 'namespace' | 'instanceSpec' | 'inPod'> & {
  plan: Omit<LateralPlan, 'members' | 'names'>
}

/**
 * Creates two instances with several containers. Collects the findings of each container about the other containers and
 * the cluster. Then removes the instances.
 */
export async function runLateralProbes(options: LateralOptions): Promise<Finding[]> {
  const { client, namespace, inPod } = options
  const instances = [1, 2].map((challengeId) => ({
    challengeId,
    title: `challenge ${challengeId}`,
    name: `doctor-lateral-${randomBytes(4).toString('hex')}`,
  }))
  try {
    await Promise.all(instances.map((instance) => createInstance(options, instance)))
    const known = (await Promise.all(instances.map((instance) => waitForMembers(options, instance)))).flat()
    const names = instances.flatMap(({ name }) => namesOf(name, namespace))
    const plan: LateralPlan = { ...options.plan, members: known, names }
    await Promise.all(instances.map((each) => createTaskSecret(options, each.name, { ...taskOf(each, courier), plan })))
    const probes = instances.flatMap((each) =>
      roles.map((role) => ({ namespace, name: podNameOf(each, role), task: taskOf(each, role) })),
    )
    const found = await Promise.all(probes.map((probe) => readProbeFindings(client, probe, findingsTimeoutMs)))
    const fromOutside = inPod
      ? known.map(({ instance, container, host }) => ({ what: `${container} of ${instance}`, host, port: probePort }))
      : []
    return [...found.flat(), ...(await Promise.all(fromOutside.map(createAttemptToReachChallenge).map(runProbeAttempt)))]
  } finally {
    await Promise.all(instances.map(({ name }) => removeInstance(options, name)))
  }
}

interface LateralInstance {
  challengeId: number
  /** Name of the instance in the report. */
  title: string
  name: string
}

function podNameOf({ name }: LateralInstance, role: Role): string {
  return role === page ? name : `${name}-${role.name}`
}

/** Returns names under which other containers might find an instance. */
function namesOf(name: string, namespace: string): string[] {
  const objects = [name, ...roles.filter((role) => role !== page).map((role) => `${name}-${role.name}`)]
  return [...objects, ...objects.map((object) => `${object}.${namespace}.svc.cluster.local`)]
}

function taskOf({ title }: LateralInstance, { name, networks }: Role): MemberTask {
  const peers = roles.filter((other) => other.name !== name && other.networks.some((network) => networks.includes(network)))
  return { role: 'member', instance: title, container: name, peers: peers.map((peer) => peer.name) }
}

async function createInstance({ client, namespace, instanceSpec }: LateralOptions, instance: LateralInstance): Promise<void> {
  const { image, egress, security, imagePullSecrets } = instanceSpec
  const { challengeId, name } = instance
  const settingsOf = (role: Role) => ({
    name: role.name,
    networks: role.networks.map((network) => ({ name: network })),
    ...(role === courier ? {} : { environment: [{ name: taskVariable, value: JSON.stringify(taskOf(instance, role)) }] }),
  })
  const furtherOf = (role: Role): Further => ({
    ...settingsOf(role),
    image,
    egress,
    profile: security.profile,
    resources: { ...probeLimits, pids: 64 },
    ...(imagePullSecrets && { imagePullSecrets }),
    ...(role.isPublished && { furtherPorts: [probePort] }),
    ...(role === courier && { flag: { environmentNames: [taskVariable] } }),
  })
  await client.create(challengeInstances, namespace, {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    metadata: { name, namespace },
    spec: {
      ...instanceSpec,
      capture: { enabled: false },
      gameId: 1,
      challengeId,
      participationId: challengeId,
      teamId: challengeId,
      port: probePort,
      exposure: 'Proxy',
      resources: { ...probeLimits },
      container: settingsOf(page),
      containers: roles.filter((role) => role !== page).map(furtherOf),
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
    },
  })
}

/**
 * Waits until all containers except the courier run.
 * @returns their addresses
 */
async function waitForMembers({ client, namespace }: LateralOptions, { name, title }: LateralInstance): Promise<Member[]> {
  const deadlineMs = performance.now() + readyTimeoutMs
  for (;;) {
    const { status }: ChallengeInstance = await client.get(challengeInstances, namespace, name)
    const states = status?.containers ?? []
    const known = members.flatMap((role) => {
      const host = states.find((state) => state.name === role.name)?.host
      return host === undefined ? [] : [{ instance: title, container: role.name, host }]
    })
    if (known.length === members.length) return known
    if (performance.now() > deadlineMs) {
      const reasons = states.map((state) => `${state.name}: ${state.reason}`).join(', ')
      throw new Error(`The containers of the lateral probe are not ready: ${reasons}`)
    }
    await pause(500)
  }
}
