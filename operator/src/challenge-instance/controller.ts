import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { instanceLabel } from '@capstan/challenge-instance/labels'
import type { Clock } from '@capstan/kubernetes/clock'
import type { Log } from '@capstan/kubernetes/log'
import { type KubeObject, objectKeyOf } from '@capstan/kubernetes/types'
import { createWorkQueue, type Result, type WorkQueue } from '@capstan/kubernetes/work-queue'
import type { Caches } from './ports.ts'

export interface Controller {
  queue: WorkQueue
  /** Returns the last state of a deleted instance until `forgetDeletedInstance` is called for it. */
  findDeletedInstance(key: string): ChallengeInstance | undefined
  forgetDeletedInstance(instance: ChallengeInstance): void
  start(): void
  stop(): Promise<void>
}

/**
 * Creates the queue of passes. A pass reconciles one instance with its objects. When an instance or one of its
 * objects changes, a pass for the instance is queued.
 */
export function createController(options: {
  caches: Caches
  clock: Clock
  log: Log
  random: () => number
  workers: number
  reconcile: (key: string) => Promise<Result>
  onFailure: () => void
}): Controller {
  const { caches, clock, log, random, workers, reconcile, onFailure } = options
  const queue = createWorkQueue({
    clock,
    random,
    workers,
    backoff: { firstMs: 250, capMs: 15_000 },
    process: reconcile,
    onFailure(key, error, retryInMs) {
      onFailure()
      log.warn({ err: error, instance: key, retryInMs }, 'Could not reconcile an instance')
    },
  })

  const deleted = new Map<string, ChallengeInstance>()
  caches.instances.onChange((now, before) => {
    const instance = now ?? before
    if (!instance) return
    const key = objectKeyOf(instance)
    if (now) deleted.delete(key)
    else deleted.set(key, instance)
    queue.add(key)
  })
  const enqueueOwner = (now: KubeObject | undefined, before: KubeObject | undefined) => {
    for (const key of ownersOf(now ?? before)) queue.add(key)
  }
  caches.pods.onChange(enqueueOwner)
  caches.services.onChange(enqueueOwner)
  caches.networkPolicies.onChange(enqueueOwner)
  caches.secrets.onChange((now, before) => {
    enqueueOwner(now, before)
    // Queue the instance that the Secret's label names. If the instance does not exist, the operator deletes the Secret.
    const label = now?.metadata.labels?.[instanceLabel]
    if (label !== undefined) queue.add(`${now?.metadata.namespace}/${label}`)
  })

  /**
   * Returns the names of the instances to which an object may belong. The names are from its owner references, its label and its
   * name.
   */
  function ownersOf(child: KubeObject | undefined): Set<string> {
    const names = new Set<string>()
    if (child === undefined) return names
    for (const { kind, name } of child.metadata.ownerReferences ?? []) if (kind === challengeInstances.kind) names.add(name)
    const label = child.metadata.labels?.[instanceLabel]
    if (label !== undefined) names.add(label)
    names.add(child.metadata.name)
    const keys = [...names].map((name) => `${child.metadata.namespace}/${name}`)
    return new Set(keys.filter((key) => caches.instances.get(key) !== undefined))
  }

  return {
    queue,
    findDeletedInstance: (key) => deleted.get(key),
    forgetDeletedInstance(instance) {
      const key = objectKeyOf(instance)
      // Compare the objects, because another instance with the same name may have been created and deleted since then.
      if (deleted.get(key) === instance) deleted.delete(key)
    },
    start: () => queue.start(),
    stop: () => queue.stop(),
  }
}
