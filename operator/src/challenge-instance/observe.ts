import type { Address, CompleteStatus } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { captureReasons, type ReadyReason, readyReasons, severityOf } from '@capstan/challenge-instance/reasons'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import { type Condition, type Fact, findCondition, formatTimestamp, updateConditions } from '@capstan/kubernetes/conditions'
import { nodePortOf } from './children.ts'
import { findPullingReportDeadline, getFirstReportDeadline } from './deadline.ts'
import { captureSettingsOf } from './desired/capture.ts'
import { describeLastExit, diagnoseContainers, type Finding, findLastExit, readinessProofOf } from './diagnosis.ts'
import {
  countEarlierFailures,
  findChallengeStatus,
  findRecorderStatus,
  hasPodEnded,
  hasRecorderRun,
  isPodBeingDeleted,
  isPodReady,
} from './pod-state.ts'
import type { View } from './view.ts'

/** Maximum length of a condition's message. It equals the limit in the CRD. */
const longestMessage = 1024

/** Observed container of an instance, with a finding about its state. */
interface Judged {
  view: View
  finding: Finding
}

/**
 * Returns the complete status of an instance, derived from its current state. Only two kinds of values are from the previous
 * status: the times of transitions, and the time of the first start.
 * @param entry view of the entry container, to which players connect
 */
export function deriveStatus(entry: View, further: readonly View[] = []): CompleteStatus {
  const { instance, now } = entry
  const views = [entry, ...further]
  const findings = diagnoseContainers(views)
  const all = views.map((view, index) => ({ view, finding: findings[index] as Finding }))
  const worst = all.reduce((one, other) => (severityOf(other.finding.reason) > severityOf(one.finding.reason) ? other : one))
  const isUp = worst.finding.reason === 'Ready'
  const generation = instance.metadata.generation ?? 0
  const facts: Fact[] = [
    readyFact(worst.finding),
    podScheduledFact(views.map((view) => view.children.pod)),
    reachableFact(all, worst),
    ...captureFacts(views),
  ]
  const address = addressOf(all)
  const ways = isUp ? waysOf(instance, address) : undefined
  const captureAddress = listsRecorders(entry) ? undefined : captureAddressOf(entry)
  const startedAt = instance.status?.startedAt ?? (isUp ? startOf(views) : undefined)
  return {
    conditions: updateConditions(facts, instance.status?.conditions ?? [], generation, now),
    observedGeneration: generation,
    ...(address === undefined ? {} : { address }),
    ...(ways === undefined ? {} : { ways }),
    ...(captureAddress === undefined ? {} : { captureAddress }),
    ...(startedAt === undefined ? {} : { startedAt }),
    restarts: views.reduce((sum, view) => sum + restartsOf(view), 0),
    ...(further.length === 0 ? {} : { containers: all.map(stateOf) }),
  }
}

type ContainerStates = NonNullable<CompleteStatus['containers']>

function previousOf({ instance: { status, place } }: View): ContainerStates[number] | undefined {
  return status?.containers?.find(({ name }) => name === place?.name)
}

function restartsOf(view: View): number {
  const { instance, children } = view
  const { pod } = children
  if (pod !== undefined) return (findChallengeStatus(pod)?.restartCount ?? 0) + countEarlierFailures(pod)
  return (instance.place === undefined ? instance.status?.restarts : previousOf(view)?.restarts) ?? 0
}

/** Returns the state of one container of an instance with several containers. */
function stateOf({ view, finding: { reason, detail } }: Judged): ContainerStates[number] {
  const { instance, children, now } = view
  const { pod } = children
  const previous = previousOf(view)
  const container = pod && findChallengeStatus(pod)
  const lastExitDetail = container && findLastExit(container) ? clip(describeLastExit(container)) : undefined
  const host = pod && hasAddress(view) ? pod.status?.podIP : undefined
  const captureAddress = listsRecorders(view) ? trustedCaptureAddressOf(view) : undefined
  return {
    name: instance.place?.name ?? '',
    ready: reason === 'Ready',
    reason,
    message: clip(detail),
    restarts: restartsOf(view),
    ...(lastExitDetail === undefined ? {} : { lastExit: lastExitDetail }),
    ...(host === undefined ? {} : { host }),
    ...(captureAddress === undefined ? {} : { captureAddress }),
    lastTransitionTime: previous?.reason === reason ? previous.lastTransitionTime : formatTimestamp(now),
  }
}

/**
 * True if the status reports only a step of a normal start. Such a status is soon replaced, so the operator writes it
 * with a delay. Until then, clients treat the instance as starting, and the recorder stores its segments.
 */
export function isStatusOfNormalStart(
  instance: InstanceContainer,
  pods: readonly (Pod | undefined)[],
  { conditions }: CompleteStatus,
  now: Date,
): boolean {
  if (!['Starting', 'WaitingForDependency'].includes(readyReasonOf(conditions) ?? '')) return false
  const { status } = instance
  if (status === undefined) return getFirstReportDeadline(instance) > now
  if (readyReasonOf(status.conditions) !== 'Pulling') return false
  return pods.some((pod) => {
    const deadline = pod && findPullingReportDeadline(pod)
    return deadline !== undefined && deadline > now
  })
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

/** Returns the condition PodScheduled. If several pods have no node, the condition describes the first of these pods. */
function podScheduledFact(pods: readonly (Pod | undefined)[]): Fact {
  const facts = pods.map(scheduledFact)
  const [first] = facts
  return facts.find(({ status }) => status === 'False') ?? facts.find(({ status }) => status === 'Unknown') ?? (first as Fact)
}

function scheduledFact(pod: Pod | undefined): Fact {
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

function reachableFact(all: readonly Judged[], { view, finding }: Judged): Fact {
  const type = conditionTypes.reachable
  const areReady = all.every(({ view: { children } }) => children.pod !== undefined && isPodReady(children.pod))
  const { place } = view.instance
  if (!areReady) {
    const detail = place === undefined ? finding.detail : `${place.name}: ${finding.detail}`
    return { type, status: 'False', reason: finding.reason, message: clip(detail) }
  }
  if (place === undefined) return { type, status: 'True', ...readinessProofOf(view.instance) }
  return { type, status: 'True', reason: 'AllReady', message: 'All containers are ready.' }
}

/**
 * Returns the condition CaptureHealthy, which covers all recorded containers. The recorder with the most severe problem determines
 * the reason.
 */
function captureFacts(views: readonly View[]): Fact[] {
  const recorded = views.filter(({ instance }) => instance.spec.capture.enabled)
  if (recorded.length === 0) return []
  const reasons = recorded.map(captureReasonOf)
  const reason = captureSeverity.find((each) => reasons.includes(each)) ?? 'Capturing'
  return [
    {
      type: conditionTypes.captureHealthy,
      status: reason === 'Capturing' ? 'True' : 'False',
      reason,
      message: captureReasons[reason],
    },
  ]
}

const captureSeverity = ['CaptureNotConfigured', 'CaptureFailed', 'CaptureStarting'] as const

function captureReasonOf({ instance, children: { pod }, settings }: View): keyof typeof captureReasons {
  return captureStatusOf(pod, captureSettingsOf(instance, settings) !== undefined)
}

function captureStatusOf(pod: Pod | undefined, configured: boolean): keyof typeof captureReasons {
  if (!configured) return 'CaptureNotConfigured'
  const recorder = pod && findRecorderStatus(pod)
  const state = recorder?.state
  if (state?.running) return recorder?.ready ? 'Capturing' : 'CaptureStarting'
  const waiting = state?.waiting?.reason
  return state?.terminated || (waiting !== undefined && !['PodInitializing', 'ContainerCreating'].includes(waiting))
    ? 'CaptureFailed'
    : 'CaptureStarting'
}

/** Returns the address of the recorder. @returns undefined if the pod has no address or has ended */
function captureAddressOf({ instance, children, settings }: View): Address | undefined {
  const capture = captureSettingsOf(instance, settings)
  const host = children.pod?.status?.podIP
  return capture && host && children.pod && !hasPodEnded(children.pod) ? { host, port: capture.port } : undefined
}

/** True if the status contains recorder addresses per container, instead of one address for the instance. */
function listsRecorders({ instance }: View): boolean {
  return instance.spec.capture.isListed === true
}

/**
 * Returns the address of the recorder if the collector may use it. Until the kubelet reports that the recorder is ready, another
 * program could answer at the address. While the instance is being deleted, it is enough that the recorder has run at some time.
 */
function trustedCaptureAddressOf(view: View): Address | undefined {
  const { instance, children } = view
  const isEnding = instance.metadata.deletionTimestamp !== undefined
  const isTrusted = isEnding ? children.pod !== undefined && hasRecorderRun(children.pod) : captureReasonOf(view) === 'Capturing'
  return isTrusted ? captureAddressOf(view) : undefined
}

/** True if clients may connect to the pod's address: the pod is ready, or the instance was ready before. */
function hasAddress({ instance, children: { pod } }: View): boolean {
  if (instance.metadata.deletionTimestamp !== undefined) return false
  if (pod === undefined || isPodBeingDeleted(pod) || hasPodEnded(pod)) return false
  return isPodReady(pod) || instance.status?.startedAt !== undefined
}

/** Returns the address of the entry container. @returns undefined until all containers are ready for the first time */
function addressOf(all: readonly Judged[]): Address | undefined {
  const [entry] = all
  if (entry === undefined || !hasAddress(entry.view)) return undefined
  const { instance, children, settings } = entry.view
  const hasStarted = instance.status?.startedAt !== undefined || all.every(({ view }) => hasAddress(view))
  const { podIP, hostIP } = children.pod?.status ?? {}
  if (!hasStarted) return undefined
  if (instance.spec.exposure === 'Proxy')
    return podIP && instance.spec.port !== undefined ? { host: podIP, port: instance.spec.port } : undefined
  const port = nodePortOf(children)
  const host = settings.publicHost ?? hostIP
  return port !== undefined && host ? { host, port } : undefined
}

function waysOf({ spec }: InstanceContainer, address: Address | undefined): CompleteStatus['ways'] {
  if (spec.exposure === 'Proxy') return spec.ways
  return address && [{ way: 'Tcp', address: `${address.host}:${address.port}` }]
}

/** Returns the time at which the last of the pods became ready, by the kubelet's clock. */
function startOf(views: readonly View[]): string {
  const times = views.map(
    ({ children: { pod }, now }) => findCondition(pod?.status?.conditions, 'Ready')?.lastTransitionTime ?? formatTimestamp(now),
  )
  return times.reduce((one, other) => (Date.parse(other) > Date.parse(one) ? other : one))
}

function clip(text: string): string {
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage - 1)}…`
}

/** Returns `reason` if it is one word in PascalCase, as the schema requires. If not, returns `otherwise`. */
function word(reason: string | undefined, otherwise: string): string {
  return reason !== undefined && /^[A-Z][A-Za-z0-9]*$/.test(reason) ? reason : otherwise
}

/** Change of the condition Ready that players or organizers should notice. */
export interface Transition {
  type: 'Normal' | 'Warning'
  reason: ReadyReason
  note: string
}

/**
 * Returns a change of Ready that must be reported as an event: the instance became ready, or it has a problem. Steps of a normal
 * start or end are not reported.
 */
export function findTransition(before: Condition[] | undefined, after: Condition[]): Transition | undefined {
  const was = findCondition(before, conditionTypes.ready)
  const is = findCondition(after, conditionTypes.ready)
  if (is === undefined || (was?.status === is.status && was.reason === is.reason)) return undefined
  const reason = is.reason as ReadyReason
  if (reason === 'Ready') return { type: 'Normal', reason, note: is.message }
  if (['Starting', 'Pulling', 'Scheduling', 'Ending'].includes(reason)) return undefined
  const detail = findCondition(after, conditionTypes.reachable)?.message
  return { type: 'Warning', reason, note: detail ?? is.message }
}
