import type { ObjectKey } from '@capstan/kubernetes/types'
import type { Result } from '@capstan/kubernetes/work-queue'
import { findObjectsOfContainer } from './children.ts'
import { getTimeUntilNextDeadlineMs, hasExpired } from './deadline.ts'
import { deriveStatus, isStatusOfNormalStart } from './observe.ts'
import { type ContainerPass, createReconcilePass, type Outcome, type Pass } from './pass.ts'
import type { Ports } from './ports.ts'
import { combineFailures, refusalOfFailedWrite } from './refusals.ts'
import { adoptFlagSecret } from './steps/adopt-flag-secret.ts'
import { awaitReadinessLine } from './steps/await-line.ts'
import { cleanUpAfterInstance } from './steps/clean-up-after-instance.ts'
import { deleteUnwantedObjects } from './steps/delete-unwanted.ts'
import { ensureFinalizer } from './steps/ensure-finalizer.ts'
import { ensureNetworkPolicy } from './steps/ensure-network-policy.ts'
import { ensureNetworks } from './steps/ensure-networks.ts'
import { ensurePod } from './steps/ensure-pod.ts'
import { ensureService, findPortShortage } from './steps/ensure-service.ts'
import { deleteExpiredInstance } from './steps/expire.ts'
import { finalizeInstance } from './steps/finalize.ts'
import { findNameConflict } from './steps/find-name-conflict.ts'
import { writeStatus } from './steps/report.ts'
import type { View } from './view.ts'

/**
 * Reconciles one instance: reads its objects, decides on changes, applies them and reports the status. Every pass repairs the
 * complete state.
 */
export async function reconcile(key: ObjectKey, ports: Ports): Promise<Result> {
  const instance = ports.caches.instances.get(key)
  if (!instance) return cleanUpAfterInstance(key, ports)
  if (instance.metadata.deletionTimestamp !== undefined) return finalizeInstance(instance, ports)
  const now = ports.clock.now()
  if (hasExpired(instance, now)) return deleteExpiredInstance(instance, ports)

  const pass = createReconcilePass(instance, now, ports)
  const obstacle = findNameConflict(pass) ?? findPortShortage(pass.containers[0])
  const outcomes = obstacle ? pass.containers.map(() => obstacle) : await makeChildren(pass)
  return reportStatus(pass, outcomes, obstacle === undefined)
}

/** Steps for each container. The pod is first, because its start takes the most time. */
const containerSteps: ((pass: ContainerPass) => Promise<void>)[] = [
  ensurePod,
  ensureNetworkPolicy,
  ensureService,
  awaitReadinessLine,
]

const instanceSteps: ((pass: Pass) => Promise<void>)[] = [ensureNetworks, adoptFlagSecret, ensureFinalizer, deleteUnwantedObjects]

/**
 * Creates or updates all objects of the instance concurrently. Never throws, so that the status can still be written.
 * @returns an outcome for each container. The outcome of the entry container also includes failures of steps for the whole instance
 */
async function makeChildren(pass: Pass): Promise<Outcome[]> {
  const ofContainers = pass.containers.map((container) => containerSteps.map((step) => step(container)))
  const ofInstance = instanceSteps.map((step) => step(pass))
  return Promise.all(
    ofContainers.map(async (steps, index) => {
      const outcomes = await Promise.allSettled(index === 0 ? [...steps, ...ofInstance] : steps)
      const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
      return { refusal: failures.map(refusalOfFailedWrite).find((refusal) => refusal !== undefined), failures }
    }),
  )
}

/** Writes the status and returns the time of the next check. */
async function reportStatus(pass: Pass, outcomes: readonly Outcome[], stepsWereTaken: boolean): Promise<Result> {
  const { instance, settings, now, ports } = pass
  const views = pass.containers.map(({ instance: container, endedPod, unmet }, index): View => {
    const children = findObjectsOfContainer(container, ports.caches)
    // Report the ended pod, not the new pod. Only the ended pod contains the reason for the end.
    const observed = endedPod && stepsWereTaken ? { ...children, pod: endedPod } : children
    return { instance: container, children: observed, refusal: outcomes[index]?.refusal, unmet, settings, now }
  })
  const [entry, ...further] = views as [View, ...View[]]
  const status = deriveStatus(entry, further)
  const pods = views.map(({ children }) => children.pod)
  const isOutdated = !isStatusOfNormalStart(instance, pods, status, now) && (await writeStatus(instance, status, ports))
  const deadlines = pass.containers.map(({ instance: container }) =>
    getTimeUntilNextDeadlineMs(container, findObjectsOfContainer(container, ports.caches).pod, settings, now),
  )
  const requeueAfterMs = isOutdated ? 0 : Math.min(...deadlines)
  const failures = [...new Set(outcomes.flatMap((outcome) => outcome.failures))]
  return failures.length === 0 ? { requeueAfterMs } : { requeueAfterMs, failure: combineFailures(failures) }
}
