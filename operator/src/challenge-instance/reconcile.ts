import type { ObjectKey } from '@capstan/kubernetes/types'
import type { Result } from '@capstan/kubernetes/work-queue'
import { childrenOf } from './children.ts'
import { hasExpired, nextDeadlineMs } from './deadline.ts'
import { isQuietStart, observe } from './observe.ts'
import { beginPass, type Outcome, type Pass } from './pass.ts'
import type { Ports } from './ports.ts'
import { combineFailures, refusalOf } from './refusals.ts'
import { adoptFlagSecret } from './steps/adopt-flag-secret.ts'
import { awaitLine } from './steps/await-line.ts'
import { cleanUpAfterInstance } from './steps/clean-up-after-instance.ts'
import { deleteUnwanted } from './steps/delete-unwanted.ts'
import { ensureFinalizer } from './steps/ensure-finalizer.ts'
import { ensureNetworkPolicy } from './steps/ensure-network-policy.ts'
import { ensurePod } from './steps/ensure-pod.ts'
import { ensureService, findPortShortage } from './steps/ensure-service.ts'
import { expire } from './steps/expire.ts'
import { finalize } from './steps/finalize.ts'
import { findNameConflict } from './steps/find-name-conflict.ts'
import { report } from './steps/report.ts'

/** Reconciles one instance: reads, decides, applies and reports. Every pass repairs the complete state. */
export async function reconcile(key: ObjectKey, ports: Ports): Promise<Result> {
  const instance = ports.caches.instances.get(key)
  if (!instance) return cleanUpAfterInstance(key, ports)
  if (instance.metadata.deletionTimestamp !== undefined) return finalize(instance, ports)
  const now = ports.clock.now()
  if (hasExpired(instance, now)) return expire(instance, ports)

  const pass = beginPass(instance, now, ports)
  const obstacle = findNameConflict(pass) ?? findPortShortage(pass)
  const outcome = obstacle ?? (await makeChildren(pass))
  return reportStatus(pass, outcome, obstacle === undefined)
}

/** Create the pod first, because its start takes the most time. */
const steps: ((pass: Pass) => Promise<void>)[] = [
  ensurePod,
  ensureNetworkPolicy,
  ensureService,
  adoptFlagSecret,
  ensureFinalizer,
  deleteUnwanted,
  awaitLine,
]

/** Creates or updates all children concurrently. Never throws, so that the status can still be written. */
async function makeChildren(pass: Pass): Promise<Outcome> {
  const outcomes = await Promise.allSettled(steps.map((step) => step(pass)))
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  return { refusal: failures.map(refusalOf).find((refusal) => refusal !== undefined), failures }
}

/** Writes the status and returns the time of the next check. */
async function reportStatus(pass: Pass, { refusal, failures }: Outcome, stepsWereTaken: boolean): Promise<Result> {
  const { instance, endedPod, settings, now, ports } = pass
  const children = childrenOf(instance, ports.caches)
  // Report the end of a pod before the state of its successor.
  const observed = endedPod && stepsWereTaken ? { ...children, pod: endedPod } : children
  const status = observe({ instance, children: observed, refusal, settings, now })
  const isOutdated = !isQuietStart(instance, observed.pod, status, now) && (await report(instance, status, ports))
  const requeueAfterMs = isOutdated ? 0 : nextDeadlineMs(instance, children.pod, settings, now)
  return failures.length === 0 ? { requeueAfterMs } : { requeueAfterMs, failure: combineFailures(failures) }
}
