import type { ProblemTextCode } from '@capstan/contract/problems'
import { enUS } from '@capstan/contract/server-texts/en-US'

type Reason = Readonly<{
  /**
   * True if the instance can become ready only after a change of the challenge or the cluster. The api then stops waiting, but the
   * operator continues to retry.
   */
  isFinal: boolean
  /** English sentence that players see. */
  message: string
}>

function passing(message: string): Reason {
  return { isFinal: false, message }
}

function final(code: ProblemTextCode): Reason {
  return { isFinal: true, message: enUS.texts[code] }
}

/**
 * Reasons of the condition Ready. A final reason also needs a text in the contract (`instance.` and the reason), and an entry in
 * the custom resource definition, in the chart's alert, and in the table of `docs/operations.md`. Tests report missing texts and
 * entries.
 */
export const readyReasons = {
  Ready: passing('The challenge is running.'),
  Starting: passing('The challenge is starting.'),
  Scheduling: passing('The challenge is waiting for free capacity in the cluster.'),
  Pulling: passing('The image of the challenge is being downloaded.'),
  WaitingForDependency: passing('The challenge is starting.'),
  Restarting: passing('The challenge stopped and is being restarted.'),
  NotAnswering: passing(enUS.texts['instance.NotAnswering']),
  Ending: passing('The challenge has ended.'),
  Evicted: passing('The challenge exceeded its limits or was moved to free a node. It is being restarted.'),
  PodFailed: passing('The challenge failed and is being restarted.'),
  ImagePullFailed: final('instance.ImagePullFailed'),
  InvalidImage: final('instance.InvalidImage'),
  ImageRunsAsRoot: final('instance.ImageRunsAsRoot'),
  CrashLooping: final('instance.CrashLooping'),
  OutOfMemory: final('instance.OutOfMemory'),
  ContainerFailed: final('instance.ContainerFailed'),
  Unschedulable: final('instance.Unschedulable'),
  QuotaExceeded: final('instance.QuotaExceeded'),
  PodRefused: final('instance.PodRefused'),
  FlagMissing: final('instance.FlagMissing'),
  NameTaken: final('instance.NameTaken'),
  DependencyFailed: final('instance.DependencyFailed'),
  NamesMissing: final('instance.NamesMissing'),
} as const satisfies Record<string, Reason>

export type ReadyReason = keyof typeof readyReasons

/** True if only a change of the challenge or the cluster can solve the problem. */
export function isFinalFailureReason(reason: string): boolean {
  return Object.hasOwn(readyReasons, reason) && readyReasons[reason as ReadyReason].isFinal
}

/** Reasons that are not final, the least severe first. */
const passingBySeverity: readonly ReadyReason[] = [
  'Ready',
  'WaitingForDependency',
  'Starting',
  'Scheduling',
  'Pulling',
  'Restarting',
  'NotAnswering',
  'PodFailed',
  'Evicted',
  'Ending',
]

/**
 * Returns the severity of a reason. The container with the most severe problem determines the reason of an instance.
 * `DependencyFailed` is less severe than other final reasons, so that the instance has the reason of the failed dependency.
 */
export function severityOf(reason: ReadyReason): number {
  if (!isFinalFailureReason(reason)) return passingBySeverity.indexOf(reason)
  return passingBySeverity.length + (reason === 'DependencyFailed' ? 0 : 1)
}

export const captureReasons = {
  Capturing: 'Traffic is being recorded.',
  CaptureNotConfigured: 'Traffic is not recorded, because the operator has no capture image (CAPSTAN_CAPTURE_IMAGE).',
  CaptureStarting: 'The recording has not started yet.',
  CaptureFailed: 'The recording container is not running.',
} as const

/** Reason of the Kubernetes event that reports the expiry of an instance. */
export const expiredReason = 'Expired'

/** Reason of the Kubernetes event that reports the deletion of an instance before all of its recordings were fetched. */
export const captureLostReason = 'CaptureLost'
