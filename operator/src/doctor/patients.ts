import { setTimeout as pause } from 'node:timers/promises'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { type Pod, pods } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, isNotFound, type KubeClient } from '@capstan/kubernetes/client'
import type { Finding } from '../../doctor/attempts.ts'
import { fatalAttempt } from '../../doctor/limits.ts'
import { doneMark, findingMark, type Orders } from '../../doctor/orders.ts'
import { challengeStatus, hasEnded } from '../challenge-instance/pod-state.ts'

/** A pod of the doctor in a challenge's place, and what it was told to do. */
export interface Patient {
  namespace: string
  pod: string
  orders: Orders
}

/** How often a pod is looked at, in milliseconds. */
const lookMs = 500

/** Resolves to what the pod found out. An attempt that ends its pod was blocked by that; any other early end proves nothing. */
export async function hear(client: KubeClient, patient: Patient, patienceMs: number): Promise<Finding[]> {
  const deadlineMs = performance.now() + patienceMs
  let uid: string | undefined
  while (performance.now() < deadlineMs) {
    const pod = await find(client, patient)
    const end = endOf(pod, uid)
    if (end !== undefined) return [epitaph(patient.orders, end)]
    uid ??= pod?.metadata.uid
    const lines = (await log(client, patient)).split('\n')
    if (lines.includes(doneMark)) {
      const told = lines.filter((line) => line.startsWith(findingMark)).map((line) => line.slice(findingMark.length))
      return told.map((line) => JSON.parse(line) as Finding)
    }
    await pause(lookMs)
  }
  return [epitaph(patient.orders, undefined)]
}

/** How the pod ended, or undefined while it lives or has yet to be made. */
function endOf(pod: Pod | undefined, uid: string | undefined): string | undefined {
  if (pod === undefined) return uid === undefined ? undefined : 'the pod was removed'
  if (uid !== undefined && pod.metadata.uid !== uid) return 'the pod was replaced'
  if (hasEnded(pod)) return pod.status?.reason ?? 'the pod ended'
  const status = challengeStatus(pod)
  return (status?.state?.terminated ?? status?.lastState?.terminated)?.reason
}

/** The finding of a pod that told none: it ended, or (without an end) never came to one. */
function epitaph(orders: Orders, end: string | undefined): Finding {
  const { role } = orders
  const told = `${end ?? 'no end in time'}`
  if (role === 'attempts' || role === 'neighbour')
    return { title: 'try everything that ends by itself', control: 'network policy', outcome: 'broken', detail: told }
  const { title, control } = fatalAttempt[role](orders)
  return { title, control, outcome: end === undefined || end === 'Error' ? 'broken' : 'blocked', detail: told }
}

async function find(client: KubeClient, { namespace, pod }: Patient): Promise<Pod | undefined> {
  try {
    return await client.get(pods, namespace, pod)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Empty while the container has yet to start. */
async function log(client: KubeClient, { namespace, pod }: Patient): Promise<string> {
  try {
    return await client.readLog(namespace, pod, challengeContainer)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return ''
    throw error
  }
}
