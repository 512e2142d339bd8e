import { isDeepStrictEqual } from 'node:util'
import { type ChallengeInstance, type CompleteStatus, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { conditionTypes } from '@capstan/challenge-instance/conditions'
import { fieldManager } from '@capstan/challenge-instance/names'
import { isNotFound } from '@capstan/kubernetes/client'
import { findCondition } from '@capstan/kubernetes/conditions'
import { needsFinalizer } from '../finalizer.ts'
import { transition } from '../observe.ts'
import type { Ports } from '../ports.ts'

/**
 * Writes the status if it differs, then tells about the transition. Answers whether the pass was about an instance that others had
 * changed by then: the answer to this write has their change, so the watch brings it as nothing new, and only another look takes it up.
 */
export async function report(instance: ChallengeInstance, status: CompleteStatus, ports: Ports): Promise<boolean> {
  if (isDeepStrictEqual(instance.status, status)) return false
  let written: ChallengeInstance
  try {
    written = await ports.client.applyStatus(challengeInstances, instance, status, fieldManager)
  } catch (error) {
    // It ended: there is nobody to report to.
    if (isNotFound(error)) return false
    throw error
  }
  ports.caches.instances.remember(written)
  await tellTransition(instance, status, written, ports)
  const isReadyNow = findCondition(status.conditions, conditionTypes.ready)?.status === 'True'
  if (instance.status?.startedAt === undefined && isReadyNow) ports.onStarted(instance)
  // The finalizer is refused for an instance that others changed.
  return !isDeepStrictEqual(decisiveOf(instance), decisiveOf(written)) || needsFinalizer(written, ports.settings())
}

/** Writes log and event about a change of Ready that people should hear of. */
async function tellTransition(
  before: ChallengeInstance,
  status: CompleteStatus,
  written: ChallengeInstance,
  { log, events }: Ports,
): Promise<void> {
  const change = transition(before.status?.conditions, status.conditions)
  if (!change) return
  log.info({ instance: before.metadata.name, reason: change.reason, detail: change.note }, 'Changed readiness')
  await events.record({ resource: challengeInstances, object: written }, { ...change, action: 'Reconcile' })
}

/** What a pass goes by, besides the status; the specification counts its changes in the generation. */
function decisiveOf({ metadata: { generation, deletionTimestamp, labels, annotations } }: ChallengeInstance) {
  return {
    generation,
    deletionTimestamp,
    labels,
    annotations,
  }
}
