import { isDeepStrictEqual } from 'node:util'
import { type ChallengeInstance, type CompleteStatus, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import { fieldManager } from '@capstan/challenge-instance/names'
import { isNotFoundError } from '@capstan/kubernetes/client'
import { findCondition } from '@capstan/kubernetes/conditions'
import { needsFinalizer } from '../finalizer.ts'
import { findTransition } from '../observe.ts'
import type { Ports } from '../ports.ts'

/**
 * Writes the status if the status has changed. Reports a change of the condition Ready.
 * @returns true if the instance needs another reconciliation, for example because another client has changed the instance
 */
export async function writeStatus(instance: ChallengeInstance, status: CompleteStatus, ports: Ports): Promise<boolean> {
  if (isDeepStrictEqual(instance.status, status)) return false
  let written: ChallengeInstance
  try {
    written = await ports.client.applyStatus(challengeInstances, instance, status, fieldManager)
  } catch (error) {
    // The instance no longer exists, so there is no status to write.
    if (isNotFoundError(error)) return false
    throw error
  }
  ports.caches.instances.recordWrite(written)
  await reportTransition(instance, status, written, ports)
  const isReadyNow = findCondition(status.conditions, conditionTypes.ready)?.status === 'True'
  if (instance.status?.startedAt === undefined && isReadyNow) ports.onStarted(instance)
  // If the finalizer is still missing, the next reconciliation adds the finalizer.
  return !isDeepStrictEqual(decisiveOf(instance), decisiveOf(written)) || needsFinalizer(written, ports.settings())
}

/** Logs a change of the condition Ready, and creates a Kubernetes event for the change. */
async function reportTransition(
  before: ChallengeInstance,
  status: CompleteStatus,
  written: ChallengeInstance,
  { log, events }: Ports,
): Promise<void> {
  const change = findTransition(before.status?.conditions, status.conditions)
  if (!change) return
  log.info({ instance: before.metadata.name, reason: change.reason, detail: change.note }, 'Changed readiness')
  await events.record({ resource: challengeInstances, object: written }, { ...change, action: 'Reconcile' })
}

/** Returns the fields of an instance on which the reconciliation depends. `generation` increases with each change of the spec. */
function decisiveOf({ metadata: { generation, deletionTimestamp, labels, annotations } }: ChallengeInstance) {
  return {
    generation,
    deletionTimestamp,
    labels,
    annotations,
  }
}
