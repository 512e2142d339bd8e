import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Address, type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import type { ChallengeInstanceSpec } from '@capstan/challenge-instance/definition'
import { drainedAnnotation, instanceIdLabel, instanceLabel } from '@capstan/challenge-instance/labels'
import { flagKey } from '@capstan/challenge-instance/names'
import { secrets } from '@capstan/kubernetes/built-in-kinds'
import { isNotFound, type KubeClient } from '@capstan/kubernetes/client'
import { findCondition } from '@capstan/kubernetes/conditions'
import { type Attempt, type Finding, tryOut } from '../../doctor/attempts.ts'
import { dial } from '../../doctor/network.ts'
import { doctorPort, type Orders, ordersVariable, type Target } from '../../doctor/orders.ts'
import { hear } from './patients.ts'

/** How challenges are run, as far as the doctor's instances must be run alike. */
export type Way = Pick<ChallengeInstanceSpec, 'image' | 'egress' | 'security'> & {
  imagePullSecrets?: string[]
  capture: { enabled: boolean }
}

export interface Examination {
  client: KubeClient
  /** Of challenge instances. */
  namespace: string
  way: Way
  orders: Omit<Orders, 'role'>
  /** Whether this process is in a pod, from which a challenge must not be reached. */
  inPod: boolean
}

/** Limits of the doctor's instances: little, so that using more is cheap. */
export const doctorLimits = { cpuTenths: 3, memoryMb: 128, storageMb: 48 }

/** How long an instance may take to be ready, and a pod to tell all it found, in milliseconds. */
const readyMs = 90_000
const hearMs = 150_000

/** Makes instances as the api would, hears what their pods could do, and removes them. */
export async function examine(examination: Examination): Promise<Finding[]> {
  const names: string[] = []
  const admit = (role: Orders['role'], targets: Target[], neighbour?: Orders['neighbour']) => {
    const orders = { ...examination.orders, targets, role, rowId: randomUUID(), ...(neighbour && { neighbour }) }
    const name = `doctor-${role}-${randomBytes(4).toString('hex')}`
    names.push(name)
    return { orders, name, made: createInstance(examination, name, orders) }
  }
  try {
    const neighbour = admit('neighbour', [])
    await neighbour.made
    const { client, namespace } = examination
    const address = await addressOf(examination, neighbour.name)
    const beside: Target = { what: 'another challenge', ...address }
    const targets = [...examination.orders.targets, beside]
    const known = { name: neighbour.name, namespace, host: address.host }
    const patients = (['attempts', 'memory', 'disk', 'processes'] as const).map((role) => admit(role, targets, known))
    await Promise.all(patients.map(({ made }) => made))
    const heard = await Promise.all(patients.map(({ name, orders }) => hear(client, { namespace, pod: name, orders }, hearMs)))
    const fromOutside = examination.inPod ? [visit(beside)] : []
    return [...heard.flat(), ...(await Promise.all(fromOutside.map(tryOut)))]
  } finally {
    await Promise.all(names.map((name) => removeInstance(examination, name)))
  }
}

/** A challenge is reached through the gateway alone, and this process is not the gateway. */
const visit = ({ what, host, port }: Target): Attempt => ({
  title: `reach ${what} from outside`,
  control: 'network policy',
  run: () => dial(host, port),
})

async function createInstance(
  { client, namespace, way }: Examination,
  name: string,
  orders: Orders & { rowId: string },
): Promise<void> {
  await client.create(secrets, namespace, {
    apiVersion: secrets.apiVersion,
    kind: secrets.kind,
    metadata: { name, namespace, labels: { [instanceLabel]: name } },
    // The one way by which something reaches a challenge's environment.
    stringData: { [flagKey]: JSON.stringify(orders) },
  })
  await client.create(challengeInstances, namespace, {
    apiVersion: challengeInstances.apiVersion,
    kind: challengeInstances.kind,
    // As the api does: what it says here must not come to where a challenge sees it.
    metadata: { name, namespace, labels: { [instanceIdLabel]: orders.rowId } },
    spec: {
      ...way,
      // Only one is recorded: the others end too roughly for it to matter.
      capture: { enabled: way.capture.enabled && orders.role === 'attempts' },
      gameId: 1,
      challengeId: 1,
      port: doctorPort,
      exposure: 'Proxy',
      resources: { ...doctorLimits },
      flag: { secretName: name, environmentNames: [ordersVariable] },
      expiresAt: new Date(Date.now() + 600_000).toISOString(),
    },
  })
}

/** Where the gateway finds an instance, once it is ready. Throws with the instance's own words if it does not become so. */
async function addressOf({ client, namespace }: Examination, name: string): Promise<Address> {
  const deadlineMs = performance.now() + readyMs
  for (;;) {
    const instance = (await client.get(challengeInstances, namespace, name)) as ChallengeInstance
    const ready = findCondition(instance.status?.conditions, conditionTypes.ready)
    if (ready?.status === 'True' && instance.status?.address !== undefined) return instance.status.address
    if (performance.now() > deadlineMs) throw new Error(`The doctor’s instance is not ready: ${ready?.reason}: ${ready?.message}`)
    await pause(500)
  }
}

async function removeInstance({ client, namespace }: Examination, name: string): Promise<void> {
  try {
    // Nobody wants recordings of the doctor.
    await client.patchJson(challengeInstances, namespace, name, [
      { op: 'add', path: '/metadata/annotations', value: { [drainedAnnotation]: new Date().toISOString() } },
    ])
    await client.delete(challengeInstances, namespace, name)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
