import type { InstanceContainer } from '@capstan/challenge-instance/containers'
import { isFinalFailureReason, type ReadyReason } from '@capstan/challenge-instance/reasons'
import type { ContainerStatus, Pod } from '@capstan/kubernetes/built-in-kinds'
import { findCondition } from '@capstan/kubernetes/conditions'
import { nodePortOf } from './children.ts'
import { findAnswerDeadline, findImagePullStart, findSchedulingDeadline, getMissingFlagReportTime } from './deadline.ts'
import { lacksNameServer } from './desired/names.ts'
import { readinessCommandOf, readinessLineOf, readinessPathOf, readinessPortOf } from './desired/pod.ts'
import { isFlagSecretOfInstance, secretNameOf } from './desired/secret.ts'
import {
  findChallengeStatus,
  findFlagFileStatus,
  findRecorderStatus,
  hasPodEnded,
  isPodBeingDeleted,
  isPodReady,
  isPodUnschedulable,
} from './pod-state.ts'
import type { View } from './view.ts'

/** Reason of the condition Ready, and a technical detail for organizers. */
export interface Finding {
  reason: ReadyReason
  detail: string
}

/** Maximum duration of a crashed run that counts towards a crash loop, in ms. A longer run ends the loop. */
const shortRunMs = 60_000

/**
 * Returns one finding for each container of an instance, in the order of `views`. A container that waits for a failed
 * container also counts as failed.
 */
export function diagnoseContainers(views: readonly View[]): Finding[] {
  const findings = views.map(diagnose)
  const findingOf = (container: string) => findings[views.findIndex(({ instance }) => instance.place?.name === container)]
  // A container that depends on a failed container counts as failed. Each round finds the dependents of containers that the
  // previous round marked as failed.
  for (const _round of views) {
    for (const [index, { unmet }] of views.entries()) {
      if (findings[index]?.reason !== 'WaitingForDependency') continue
      const failed = unmet.find(({ name }) => isFinalFailureReason(findingOf(name)?.reason ?? ''))
      if (failed) findings[index] = { reason: 'DependencyFailed', detail: `${failed.name}: ${findingOf(failed.name)?.reason}` }
    }
  }
  return findings
}

function diagnose({ instance, children, refusal, unmet, settings, now }: View): Finding {
  const { pod } = children
  const isOver = (deadline: Date | undefined) => deadline !== undefined && deadline <= now
  const hasStarted = instance.status?.startedAt !== undefined
  if (instance.metadata.deletionTimestamp !== undefined)
    return { reason: 'Ending', detail: 'Waits until its recordings are fetched' }
  if (refusal) return refusal
  if (pod === undefined) {
    const secretName = secretNameOf(instance)
    if (
      secretName !== undefined &&
      !isFlagSecretOfInstance(children.flagSecret, instance) &&
      isOver(getMissingFlagReportTime(instance))
    )
      return { reason: 'FlagMissing', detail: `No Secret ${secretName} with this instance's label` }
    if (lacksNameServer(instance, settings) && settings.names !== 'unknown')
      return { reason: 'NamesMissing', detail: 'The Service of the name server for containers does not exist' }
    const [dependency] = unmet
    if (dependency) {
      const state = dependency.when === 'Ready' ? 'ready' : 'started'
      return { reason: 'WaitingForDependency', detail: `The container ${dependency.name} is not ${state} yet` }
    }
    return { reason: hasStarted ? 'Restarting' : 'Starting', detail: 'The pod does not exist yet' }
  }
  if (isPodBeingDeleted(pod)) return { reason: 'Restarting', detail: 'The pod is being deleted; a new one follows' }
  if (hasPodEnded(pod)) return diagnoseEnded(pod)
  if (isPodReady(pod)) {
    return instance.spec.exposure === 'NodePort' && nodePortOf(children) === undefined
      ? { reason: 'Starting', detail: 'The service has no node port yet' }
      : { reason: 'Ready', detail: readinessProofOf(instance).message }
  }
  if (isPodUnschedulable(pod)) {
    const detail = findCondition(pod.status?.conditions, 'PodScheduled')?.message ?? 'No node is suitable'
    return { reason: isOver(findSchedulingDeadline(pod, settings)) ? 'Unschedulable' : 'Scheduling', detail }
  }
  const container = findChallengeStatus(pod)
  const writer = findFlagFileStatus(pod)
  const recorder = findRecorderStatus(pod)
  // The recorder's probe also tests the challenge's port, so a closed port may be the reason why the recorder is not ready.
  const isRecorderSilent = recorder?.ready === false
  const failure =
    (writer && !writer.ready && diagnoseContainer(writer)) ||
    (container && diagnoseContainer(container)) ||
    (recorder && !recorder.ready && diagnoseContainer(recorder))
  if (failure) return failure
  if (isOver(findAnswerDeadline(instance, pod)))
    return { reason: 'NotAnswering', detail: isRecorderSilent ? 'The recorder does not respond' : unanswered(instance) }
  if (isOver(findImagePullStart(pod))) return { reason: 'Pulling', detail: `Image ${instance.spec.image} is being pulled` }
  if (container?.state?.terminated) return { reason: 'Restarting', detail: describeLastExit(container) }
  return { reason: hasStarted ? 'Restarting' : 'Starting', detail: 'The container is not ready yet' }
}

/**
 * Returns the reason and message of the condition Reachable for a ready container. They name the successful
 * readiness check.
 */
export function readinessProofOf(instance: InstanceContainer): { reason: string; message: string } {
  if (readinessLineOf(instance) !== undefined)
    return { reason: 'LineWritten', message: 'The container wrote its readiness line.' }
  if (readinessCommandOf(instance)) return { reason: 'CommandSucceeded', message: 'The readiness command succeeded.' }
  if (readinessPortOf(instance) === undefined) return { reason: 'Running', message: 'The container is running.' }
  return { reason: 'PortOpen', message: 'The port accepts connections.' }
}

function unanswered(instance: InstanceContainer): string {
  const line = readinessLineOf(instance)
  if (line !== undefined) return `No line with ${JSON.stringify(line)} was written`
  if (readinessCommandOf(instance)) return 'The readiness command does not end with the code 0'
  const port = readinessPortOf(instance)
  const path = readinessPathOf(instance)
  return path === undefined
    ? `Port ${port} does not accept connections`
    : `${path} on port ${port} is not answered with 200 to 399`
}

function diagnoseEnded({ status }: Pod): Finding {
  const detail = `The pod ended: ${status?.reason ?? status?.phase}${status?.message ? `: ${status.message}` : ''}`
  return { reason: status?.reason === 'Evicted' || status?.reason === 'Preempting' ? 'Evicted' : 'PodFailed', detail }
}

/** Returns the problem of a container that is not ready. @returns undefined during a normal start */
function diagnoseContainer(container: ContainerStatus): Finding | undefined {
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
      return { reason: diagnoseConfigError(waiting.message ?? ''), detail }
    case 'CreateContainerError':
    case 'RunContainerError':
    case 'PreStartHookError':
    case 'PostStartHookError':
      return { reason: 'ContainerFailed', detail }
    case 'CrashLoopBackOff':
      return { reason: neverRan(container) ? 'ContainerFailed' : crashReasonOf(container), detail: describeLastExit(container) }
    default:
      // A short run between two crashes does not end the crash loop.
      return container.restartCount >= 2 && lastRunWasShort(container)
        ? { reason: crashReasonOf(container), detail: describeLastExit(container) }
        : undefined
  }
}

/**
 * Returns the reason of a configuration error according to the kubelet's message. The kubelet has only one reason for all such
 * errors.
 */
function diagnoseConfigError(message: string): ReadyReason {
  if (/runAsNonRoot/i.test(message)) return 'ImageRunsAsRoot'
  if (/secret/i.test(message)) return 'FlagMissing'
  return 'ContainerFailed'
}

export function findLastExit(container: ContainerStatus) {
  return container.state?.terminated ?? container.lastState?.terminated
}

/** True if the runtime could not start the program. */
function neverRan(container: ContainerStatus): boolean {
  return ['StartError', 'ContainerCannotRun', 'RunContainerError'].includes(findLastExit(container)?.reason ?? '')
}

/** Returns the reason of the condition Ready for a container that crashes repeatedly. */
function crashReasonOf(container: ContainerStatus): ReadyReason {
  return findLastExit(container)?.reason === 'OOMKilled' ? 'OutOfMemory' : 'CrashLooping'
}

function lastRunWasShort(container: ContainerStatus): boolean {
  const exit = findLastExit(container)
  return exit !== undefined && Date.parse(exit.finishedAt ?? '') - Date.parse(exit.startedAt ?? '') < shortRunMs
}

/**
 * Returns a sentence about why the container last stopped. The sentence contains the message of the runtime only if the
 * program never ran. A program that has run can write a message to `/dev/termination-log`, and this message may contain
 * the flag.
 */
export function describeLastExit(container: ContainerStatus): string {
  const exit = findLastExit(container)
  if (exit === undefined) return 'The container stopped'
  const why = exit.reason === 'OOMKilled' ? 'it used more memory than its limit' : `exit code ${exit.exitCode}`
  return `The container stopped (${why})${neverRan(container) && exit.message ? `: ${exit.message}` : ''}`
}
