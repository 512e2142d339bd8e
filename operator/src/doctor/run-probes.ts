import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Address, type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { drainedAnnotation, instanceIdLabel, instanceLabel } from '@capstan/challenge-instance/labels'
import { flagKey } from '@capstan/challenge-instance/names'
import { secrets } from '@capstan/kubernetes/built-in-kinds'
import { isNotFoundError } from '@capstan/kubernetes/client'
import { findCondition } from '@capstan/kubernetes/conditions'
import { type Attempt, type Finding, runProbeAttempt } from '../../isolation-probe/attempts.ts'
import { openConnectionTo } from '../../isolation-probe/network.ts'
import { type MemberTask, type ProbeTask, probePort, type Target, taskVariable } from '../../isolation-probe/task.ts'
import { readProbeFindings } from './probe-findings.ts'
import type { RepeatingClient } from './repeating-client.ts'

/** Fields of an instance's spec that the isolation probe shares with real challenges. */
export type ProbeInstanceSpec = Pick<ChallengeInstanceSpec, 'image' | 'egress' | 'security'> & {
  imagePullSecrets?: string[]
  capture: { enabled: boolean }
}

export interface ProbeOptions {
  client: RepeatingClient
  namespace: string
  instanceSpec: ProbeInstanceSpec
  task: Omit<ProbeTask, 'role'>
  /**
   * True if this process runs in a pod. In this case, the process also tries to connect to a challenge. This attempt
   * must be blocked.
   */
  inPod: boolean
}

/** Limits of the probe's instances. They are low, so that the probe quickly exceeds them. */
export const probeLimits = { cpuTenths: 3, memoryMb: 128, storageMb: 48 }

/** Maximum time until an instance of the probe is ready, in ms. */
export const readyTimeoutMs = 150_000

/** Maximum time until a pod of the probe has printed its findings, in ms. */
export const findingsTimeoutMs = 300_000

/** Creates instances of the isolation probe in the same way as the api, collects their findings, and removes the instances. */
export async function runProbes(options: ProbeOptions): Promise<Finding[]> {
  const { client, namespace } = options
  const names: string[] = []
  const startProbe = (role: ProbeTask['role'], targets: Target[], neighbor?: ProbeTask['neighbor']) => {
    const task = { ...options.task, targets, role, instanceId: randomUUID(), ...(neighbor && { neighbor }) }
    const name = `doctor-${role}-${randomBytes(4).toString('hex')}`
    names.push(name)
    return { namespace, name, task, created: createInstance(options, name, task) }
  }
  try {
    const neighbor = startProbe('neighbor', [])
    await neighbor.created
    const address = await waitForAddress(options, neighbor.name)
    const neighborTarget: Target = { what: 'another challenge', ...address }
    const targets = [...options.task.targets, neighborTarget]
    const known = { name: neighbor.name, namespace, host: address.host }
    const probes = (['attempts', 'memory', 'disk', 'processes'] as const).map((role) => startProbe(role, targets, known))
    await Promise.all(probes.map(({ created }) => created))
    const found = await Promise.all(probes.map((probe) => readProbeFindings(client, probe, findingsTimeoutMs)))
    const fromOutside = options.inPod ? [createAttemptToReachChallenge(neighborTarget)] : []
    return [...found.flat(), ...(await Promise.all(fromOutside.map(runProbeAttempt)))]
  } finally {
    await Promise.all(names.map((name) => removeInstance(options, name)))
  }
}

/** Creates a test of the network policy: only the gateway may connect to a challenge. */
export function createAttemptToReachChallenge({ what, host, port }: Target): Attempt {
  return {
    title: `connect to ${what} from outside`,
    control: 'network policy',
    run: () => openConnectionTo(host, port),
  }
}

/** Creates the flag's Secret of an instance. This Secret contains the task for the isolation probe. */
export async function createTaskSecret(
  { client, namespace }: Pick<ProbeOptions, 'client' | 'namespace'>,
  name: string,
  task: ProbeTask | MemberTask,
): Promise<void> {
  await client.create(secrets, namespace, {
    apiVersion: secrets.apiVersion,
    kind: secrets.kind,
    metadata: { name, namespace, labels: { [instanceLabel]: name } },
    stringData: { [flagKey]: JSON.stringify(task) },
  })
}

async function createInstance(
  { client, namespace, instanceSpec }: ProbeOptions,
  name: string,
  task: ProbeTask & { instanceId: string },
): Promise<void> {
  await createTaskSecret({ client, namespace }, name, task)
  await client.create(challengeInstances, namespace, {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    // Set this label as the api does, so that the probe tests whether a challenge can read the UUID.
    metadata: { name, namespace, labels: { [instanceIdLabel]: task.instanceId } },
    spec: {
      ...instanceSpec,
      // Only pods with the role `attempts` try to connect to a recorder.
      capture: { enabled: instanceSpec.capture.enabled && task.role === 'attempts' },
      gameId: 1,
      challengeId: 1,
      port: probePort,
      exposure: 'Proxy',
      resources: { ...probeLimits },
      flag: { secretName: name, environmentNames: [taskVariable] },
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
    },
  })
}

/**
 * Waits until an instance is ready.
 * @returns the address of the instance
 * @throws Error with the reason in the instance's status if the instance is not ready in time
 */
async function waitForAddress({ client, namespace }: ProbeOptions, name: string): Promise<Address> {
  const deadlineMs = performance.now() + readyTimeoutMs
  for (;;) {
    const instance = (await client.get(challengeInstances, namespace, name)) as ChallengeInstance
    const ready = findCondition(instance.status?.conditions, conditionTypes.ready)
    if (ready?.status === 'True' && instance.status?.address !== undefined) return instance.status.address
    if (performance.now() > deadlineMs)
      throw new Error(`The instance of the isolation probe is not ready: ${ready?.reason}: ${ready?.message}`)
    await pause(500)
  }
}

export async function removeInstance(
  { client, namespace }: Pick<ProbeOptions, 'client' | 'namespace'>,
  name: string,
): Promise<void> {
  try {
    // Marks the recordings as fetched, so that the deletion does not wait for a collector. The probe's recordings are not needed.
    await client.patchJson(challengeInstances, namespace, name, [
      { op: 'add', path: '/metadata/annotations', value: { [drainedAnnotation]: new Date().toISOString() } },
    ])
    await client.delete(challengeInstances, namespace, name)
  } catch (error) {
    if (!isNotFoundError(error)) throw error
  }
}
