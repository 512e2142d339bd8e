import { setTimeout as pause } from 'node:timers/promises'
import { challengeContainer } from '@capstan/challenge-instance/names'
import { type Pod, pods } from '@capstan/kubernetes/built-in-kinds'
import { ApiError, isNotFoundError } from '@capstan/kubernetes/client'
import { findCondition } from '@capstan/kubernetes/conditions'
import type { Finding } from '../../isolation-probe/attempts.ts'
import { exhaustingAttempts } from '../../isolation-probe/limits.ts'
import { doneLine, findingPrefix, type MemberTask, type ProbeTask } from '../../isolation-probe/task.ts'
import { findChallengeStatus, hasPodEnded } from '../challenge-instance/pod-state.ts'
import type { RepeatingClient } from './repeating-client.ts'

export interface ProbePod {
  namespace: string
  name: string
  task: ProbeTask | MemberTask
}

const pollMs = 500

/**
 * Waits until the pod has printed its findings, and returns them. If the pod ends earlier or `timeoutMs` passes,
 * returns a single finding that contains this reason.
 */
export async function readProbeFindings(client: RepeatingClient, probe: ProbePod, timeoutMs: number): Promise<Finding[]> {
  const deadlineMs = performance.now() + timeoutMs
  let uid: string | undefined
  let pod: Pod | undefined
  while (performance.now() < deadlineMs) {
    pod = await findPod(client, probe)
    const end = endOf(pod, uid)
    if (end !== undefined) return [findingWithoutReport(probe.task, end)]
    uid ??= pod?.metadata.uid
    const lines = (await readLog(client, probe)).split('\n')
    if (lines.includes(doneLine)) {
      return lines
        .filter((line) => line.startsWith(findingPrefix))
        .map((line) => JSON.parse(line.slice(findingPrefix.length)) as Finding)
    }
    await pause(pollMs)
  }
  return [findingWithoutReport(probe.task, undefined, describePod(pod))]
}

/** Returns a description of the last state of the pod. */
function describePod(pod: Pod | undefined): string {
  if (pod === undefined) return 'it does not exist'
  const isScheduled = findCondition(pod.status?.conditions, 'PodScheduled')
  const waiting = findChallengeStatus(pod)?.state?.waiting?.reason
  return (isScheduled?.status === 'False' && isScheduled.message) || waiting || (pod.status?.phase ?? 'Pending')
}

/**
 * Exit code of a program that SIGKILL ended. The kernel or the kubelet sends this signal if a limit is exceeded. Until the pod's
 * status contains the cause, the reason is `Error`.
 */
const killedExitCode = 137

/**
 * Returns the reason why the pod ended.
 * @returns undefined while the pod runs or does not exist yet
 */
function endOf(pod: Pod | undefined, uid: string | undefined): string | undefined {
  if (pod === undefined) return uid === undefined ? undefined : 'the pod was removed'
  if (uid !== undefined && pod.metadata.uid !== uid) return 'the pod was replaced'
  if (hasPodEnded(pod)) return pod.status?.reason ?? 'the pod ended'
  const status = findChallengeStatus(pod)
  const end = status?.state?.terminated ?? status?.lastState?.terminated
  return end?.reason === 'Error' && end.exitCode === killedExitCode ? 'ended by SIGKILL' : end?.reason
}

/**
 * Returns the finding for a pod that printed no findings. If the task was to exhaust a resource and the pod ended, the
 * attempt was blocked. In every other case, the outcome is unknown.
 * @param end reason why the pod ended, undefined after the timeout
 * @param state last state of the pod before the timeout
 */
function findingWithoutReport(task: ProbeTask | MemberTask, end: string | undefined, state = ''): Finding {
  const detail = end ?? `the pod did not end in time: ${state}`
  const unknown = { title: 'complete all attempts', control: 'network policy', outcome: 'broken', detail } as const
  if (task.role === 'member') return { ...unknown, title: `${unknown.title} from ${task.container} of ${task.instance}` }
  const { role } = task
  if (role === 'attempts' || role === 'neighbor') return unknown
  const { title, control } = exhaustingAttempts[role](task)
  return { title, control, outcome: end === undefined || end === 'Error' ? 'broken' : 'blocked', detail }
}

async function findPod(client: RepeatingClient, { namespace, name }: ProbePod): Promise<Pod | undefined> {
  try {
    return await client.get(pods, namespace, name)
  } catch (error) {
    if (isNotFoundError(error)) return undefined
    throw error
  }
}

/** Returns the log of the challenge container, or an empty text until the container has started. */
async function readLog(client: RepeatingClient, { namespace, name }: ProbePod): Promise<string> {
  try {
    return await client.readLog(namespace, name, challengeContainer)
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return ''
    throw error
  }
}
