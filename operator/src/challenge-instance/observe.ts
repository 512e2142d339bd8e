import type { Address, ChallengeInstance, CompleteStatus } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import { captureReasons, type ReadyReason, readyReasons } from '@capstan/challenge-instance/reasons'
import type { ContainerStatus, Pod } from '@capstan/kubernetes/built-in-kinds'
import { type Condition, conditionsFrom, type Fact, findCondition, timestamp } from '@capstan/kubernetes/conditions'
import type { Children } from './children.ts'
import {
  answerDeadline,
  assumedPullDeadline,
  firstReportDeadline,
  flagDeadline,
  imagePullStart,
  schedulingDeadline,
} from './deadline.ts'
import { captureOf } from './desired/capture.ts'
import { lineOf } from './desired/pod.ts'
import { isFlagSecretOf, secretNameOf } from './desired/secret.ts'
import {
  attemptOf,
  captureStatus,
  challengeStatus,
  flagFileStatus,
  hasEnded,
  isBeingDeleted,
  isReady,
  isUnschedulable,
} from './pod-state.ts'
import type { Refusal } from './refusals.ts'
import type { InstanceSettings } from './settings.ts'

export interface View {
  instance: ChallengeInstance
  children: Children
  refusal: Refusal | undefined
  settings: InstanceSettings
  now: Date
}

/** Reason of the condition Ready, and the technical detail for organizers. */
interface Finding {
  reason: ReadyReason
  detail: string
}

/** Maximum length of a condition message in the CRD. */
const longestMessage = 1024

/** Maximum duration of a run that counts as a part of a crash loop, in ms. */
const shortRunMs = 60_000

/**
 * Returns the complete status from the current state. Only the times of transitions and of the first start come from the previous
 * status.
 */
export function observe(view: View): CompleteStatus {
  const { instance, children, settings, now } = view
  const { pod } = children
  const generation = instance.metadata.generation ?? 0
  const previous = instance.status?.conditions ?? []
  const finding = judge(view)
  const facts: Fact[] = [
    readyFact(finding),
    podScheduledFact(pod),
    reachableFact(instance, pod, finding),
    ...captureFacts(instance, pod, settings),
  ]
  const address = addressOf(view)
  const ways = finding.reason === 'Ready' ? waysOf(instance, address) : undefined
  const captureAddress = captureAddressOf(view)
  const startedAt = instance.status?.startedAt ?? (finding.reason === 'Ready' ? startOf(pod, now) : undefined)
  return {
    conditions: conditionsFrom(facts, previous, generation, now),
    observedGeneration: generation,
    ...(address === undefined ? {} : { address }),
    ...(ways === undefined ? {} : { ways }),
    ...(captureAddress === undefined ? {} : { captureAddress }),
    ...(startedAt === undefined ? {} : { startedAt }),
    restarts: pod === undefined ? (instance.status?.restarts ?? 0) : (challengeStatus(pod)?.restartCount ?? 0) + attemptOf(pod),
  }
}

/**
 * True if a status only reports a normal start. Such a status is written later. Clients treat an instance with no status as
 * starting, and an instance is ready soon after its image is downloaded. The recorder stores its first segments until the
 * collector learns its address from the status.
 */
export function isQuietStart(
  instance: ChallengeInstance,
  pod: Pod | undefined,
  { conditions }: CompleteStatus,
  now: Date,
): boolean {
  if (readyReasonOf(conditions) !== 'Starting') return false
  const { status } = instance
  if (status === undefined) return firstReportDeadline(instance) > now
  const deadline = readyReasonOf(status.conditions) === 'Pulling' && pod ? assumedPullDeadline(pod) : undefined
  return deadline !== undefined && deadline > now
}

function readyReasonOf(conditions: Condition[] | undefined): string | undefined {
  return findCondition(conditions, conditionTypes.ready)?.reason
}

/** Returns the condition Ready, with a sentence for players. */
function readyFact({ reason }: Finding): Fact {
  return {
    type: conditionTypes.ready,
    status: reason === 'Ready' ? 'True' : 'False',
    reason,
    message: readyReasons[reason].message,
  }
}

function judge({ instance, children, refusal, settings, now }: View): Finding {
  const { pod } = children
  const isOver = (deadline: Date | undefined) => deadline !== undefined && deadline <= now
  const hasStarted = instance.status?.startedAt !== undefined
  if (instance.metadata.deletionTimestamp !== undefined)
    return { reason: 'Ending', detail: 'Waits until its recordings are fetched' }
  if (refusal) return refusal
  if (pod === undefined) {
    const secretName = secretNameOf(instance)
    if (secretName !== undefined && !isFlagSecretOf(children.flagSecret, instance) && isOver(flagDeadline(instance)))
      return { reason: 'FlagMissing', detail: `No Secret ${secretName} with this instance's label` }
    return { reason: hasStarted ? 'Restarting' : 'Starting', detail: 'The pod does not exist yet' }
  }
  if (isBeingDeleted(pod)) return { reason: 'Restarting', detail: 'The pod is being deleted; a new one follows' }
  if (hasEnded(pod)) return judgeEnded(pod)
  if (isReady(pod)) {
    return instance.spec.exposure === 'NodePort' && nodePortOf(children) === undefined
      ? { reason: 'Starting', detail: 'The service has no node port yet' }
      : {
          reason: 'Ready',
          detail: lineOf(instance) === undefined ? 'The port accepts connections' : 'The readiness line was written',
        }
  }
  if (isUnschedulable(pod)) {
    const detail = findCondition(pod.status?.conditions, 'PodScheduled')?.message ?? 'No node is suitable'
    return { reason: isOver(schedulingDeadline(pod, settings)) ? 'Unschedulable' : 'Scheduling', detail }
  }
  const container = challengeStatus(pod)
  const writer = flagFileStatus(pod)
  const recorder = captureStatus(pod)
  // The recorder's probe also covers the port of the challenge.
  const isRecorderSilent = recorder?.ready === false
  const failure =
    (writer && !writer.ready && judgeContainer(writer)) ||
    (container && judgeContainer(container)) ||
    (recorder && !recorder.ready && judgeContainer(recorder))
  if (failure) return failure
  if (isOver(answerDeadline(instance, pod)))
    return { reason: 'NotAnswering', detail: isRecorderSilent ? 'The recorder does not respond' : unanswered(instance) }
  if (isOver(imagePullStart(pod))) return { reason: 'Pulling', detail: `Image ${instance.spec.image} is being pulled` }
  if (container?.state?.terminated) return { reason: 'Restarting', detail: exitOf(container) }
  return { reason: hasStarted ? 'Restarting' : 'Starting', detail: 'The container is not ready yet' }
}

function unanswered({ spec }: ChallengeInstance): string {
  const { port = spec.port, path, line } = spec.container?.readiness ?? {}
  if (line !== undefined) return `No line with ${JSON.stringify(line)} was written`
  return path === undefined
    ? `Port ${port} does not accept connections`
    : `${path} on port ${port} is not answered with 200 to 399`
}

function judgeEnded({ status }: Pod): Finding {
  const detail = `The pod ended: ${status?.reason ?? status?.phase}${status?.message ? `: ${status.message}` : ''}`
  return { reason: status?.reason === 'Evicted' || status?.reason === 'Preempting' ? 'Evicted' : 'PodFailed', detail }
}

/**
 * Returns the problem of an unready container.
 * @returns undefined during a normal start
 */
function judgeContainer(container: ContainerStatus): Finding | undefined {
  const waiting = container.state?.waiting
  const detail = `${waiting?.reason}${waiting?.message ? `: ${waiting.message}` : ''}`
  switch (waiting?.reason) {
    case 'ErrImagePull':
    case 'ImagePullBackOff':
    case 'ErrImageNeverPull':
    case 'RegistryUnavailable':
    case 'SignatureValidationFailed':
    case 'ImageInspectError':
      return { reason: 'ImagePullFailed', detail }
    case 'InvalidImageName':
      return { reason: 'InvalidImage', detail }
    case 'CreateContainerConfigError':
      return { reason: judgeConfigError(waiting.message ?? ''), detail }
    case 'CreateContainerError':
    case 'RunContainerError':
    case 'PreStartHookError':
    case 'PostStartHookError':
      return { reason: 'ContainerFailed', detail }
    case 'CrashLoopBackOff':
      return { reason: neverRan(container) ? 'ContainerFailed' : 'CrashLooping', detail: exitOf(container) }
    default:
      // A short run between two crashes does not end the crash loop.
      return container.restartCount >= 2 && lastRunWasShort(container)
        ? { reason: 'CrashLooping', detail: exitOf(container) }
        : undefined
  }
}

/** Returns the reason of a configuration error. The kubelet has one reason for all such errors, so the message decides. */
function judgeConfigError(message: string): ReadyReason {
  if (/runAsNonRoot/i.test(message)) return 'ImageRunsAsRoot'
  if (/secret/i.test(message)) return 'FlagMissing'
  return 'ContainerFailed'
}

function lastExit(container: ContainerStatus) {
  return container.state?.terminated ?? container.lastState?.terminated
}

/** True if the runtime could not start the program. */
function neverRan(container: ContainerStatus): boolean {
  return ['StartError', 'ContainerCannotRun', 'RunContainerError'].includes(lastExit(container)?.reason ?? '')
}

function lastRunWasShort(container: ContainerStatus): boolean {
  const exit = lastExit(container)
  return exit !== undefined && Date.parse(exit.finishedAt ?? '') - Date.parse(exit.startedAt ?? '') < shortRunMs
}

function exitOf(container: ContainerStatus): string {
  const exit = lastExit(container)
  if (exit === undefined) return 'The container stopped'
  const why = exit.reason === 'OOMKilled' ? 'it used more memory than its limit' : `exit code ${exit.exitCode}`
  return `The container stopped (${why})${exit.message ? `: ${exit.message}` : ''}`
}

function podScheduledFact(pod: Pod | undefined): Fact {
  const type = conditionTypes.podScheduled
  if (pod === undefined) return { type, status: 'Unknown', reason: 'NoPod', message: 'The pod does not exist.' }
  const scheduled = findCondition(pod.status?.conditions, 'PodScheduled')
  if (scheduled?.status === 'True') return { type, status: 'True', reason: 'Scheduled', message: 'The pod has a node.' }
  if (scheduled?.status === 'False') {
    return {
      type,
      status: 'False',
      reason: word(scheduled.reason, 'Unschedulable'),
      message: clip(scheduled.message ?? 'No node is suitable.'),
    }
  }
  return { type, status: 'Unknown', reason: 'Pending', message: 'The scheduler has not handled the pod yet.' }
}

function reachableFact(instance: ChallengeInstance, pod: Pod | undefined, { reason, detail }: Finding): Fact {
  const type = conditionTypes.reachable
  if (pod !== undefined && isReady(pod))
    return lineOf(instance) === undefined
      ? { type, status: 'True', reason: 'PortOpen', message: 'The port accepts connections.' }
      : { type, status: 'True', reason: 'LineWritten', message: 'The container wrote its readiness line.' }
  return { type, status: 'False', reason, message: clip(detail) }
}

function captureFacts(instance: ChallengeInstance, pod: Pod | undefined, settings: InstanceSettings): Fact[] {
  if (!instance.spec.capture.enabled) return []
  const reason = captureStatusOf(pod, captureOf(instance, settings) !== undefined)
  return [
    {
      type: conditionTypes.captureHealthy,
      status: reason === 'Capturing' ? 'True' : 'False',
      reason,
      message: captureReasons[reason],
    },
  ]
}

function captureStatusOf(pod: Pod | undefined, configured: boolean): keyof typeof captureReasons {
  if (!configured) return 'CaptureNotConfigured'
  const recorder = pod && captureStatus(pod)
  const state = recorder?.state
  if (state?.running) return recorder?.ready ? 'Capturing' : 'CaptureStarting'
  const waiting = state?.waiting?.reason
  return state?.terminated || (waiting !== undefined && !['PodInitializing', 'ContainerCreating'].includes(waiting))
    ? 'CaptureFailed'
    : 'CaptureStarting'
}

/** Returns the address of the recorder while the pod has one. */
function captureAddressOf({ instance, children, settings }: View): Address | undefined {
  const capture = captureOf(instance, settings)
  const host = children.pod?.status?.podIP
  return capture && host && children.pod && !hasEnded(children.pod) ? { host, port: capture.port } : undefined
}

/** Returns the address for connections. It is unknown until the pod is ready for the first time. */
function addressOf({ instance, children, settings }: View): Address | undefined {
  const { pod } = children
  if (instance.metadata.deletionTimestamp !== undefined) return undefined
  if (pod === undefined || isBeingDeleted(pod) || hasEnded(pod)) return undefined
  if (!isReady(pod) && instance.status?.startedAt === undefined) return undefined
  const { podIP, hostIP } = pod.status ?? {}
  if (instance.spec.exposure === 'Proxy') return podIP ? { host: podIP, port: instance.spec.port } : undefined
  const port = nodePortOf(children)
  const host = settings.publicHost ?? hostIP
  return port !== undefined && host ? { host, port } : undefined
}

function waysOf({ spec }: ChallengeInstance, address: Address | undefined): CompleteStatus['ways'] {
  if (spec.exposure === 'Proxy') return spec.ways
  return address && [{ way: 'Tcp', address: `${address.host}:${address.port}` }]
}

function nodePortOf({ service }: Children): number | undefined {
  return service?.spec?.ports?.[0]?.nodePort
}

/** Returns the time at which the pod became ready, by the kubelet's clock. */
function startOf(pod: Pod | undefined, now: Date): string {
  return findCondition(pod?.status?.conditions, 'Ready')?.lastTransitionTime ?? timestamp(now)
}

function clip(text: string): string {
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage - 1)}…`
}

/** Returns a valid reason: the schema requires one PascalCase word. */
function word(reason: string | undefined, otherwise: string): string {
  return reason !== undefined && /^[A-Z][A-Za-z0-9]*$/.test(reason) ? reason : otherwise
}

/** Change of Ready that players or organizers should notice. */
export interface Transition {
  type: 'Normal' | 'Warning'
  reason: ReadyReason
  note: string
}

/** Returns the change to report as an event. This is a change to ready, or to unready for a reason other than a normal start. */
export function transition(before: Condition[] | undefined, after: Condition[]): Transition | undefined {
  const was = findCondition(before, conditionTypes.ready)
  const is = findCondition(after, conditionTypes.ready)
  if (is === undefined || (was?.status === is.status && was.reason === is.reason)) return undefined
  const reason = is.reason as ReadyReason
  if (reason === 'Ready') return { type: 'Normal', reason, note: is.message }
  if (['Starting', 'Pulling', 'Scheduling', 'Ending'].includes(reason)) return undefined
  const detail = findCondition(after, conditionTypes.reachable)?.message
  return { type: 'Warning', reason, note: detail ?? is.message }
}
