import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { containerNameOf, containersOf, objectNameOf } from '@capstan/challenge-instance/containers'
import { instanceIdLabel } from '@capstan/challenge-instance/labels'
import type { KubeClient } from '@capstan/kubernetes/client'
import { systemClock } from '@capstan/kubernetes/clock'
import { createInformer, type InformerOptions } from '@capstan/kubernetes/informer'
import type { Log } from '@capstan/kubernetes/log'
import { objectKeyOf } from '@capstan/kubernetes/types'
import type { ObservedCapture, ObservedContainer, ObservedInstance } from '../runtime.ts'
import { instanceIdOfObject, toObservedCapture, toObservedContainers, toObservedInstance } from './instance-objects.ts'
import type { PodOwner } from './pod-metrics.ts'

export type InstanceWatchOptions = Pick<InformerOptions<ChallengeInstance>, 'silenceMs' | 'backoff'> &
  Readonly<{
    client: Pick<KubeClient, 'listPage' | 'watch'>
    namespace: string
    log: Pick<Log, 'warn'>
  }>

/** Creates a view: a map from the id of an instance to a part of its observed state. A view notifies its listeners of changes. */
function createView<Seen>() {
  const seen = new Map<string, Seen>()
  const listeners = new Set<(id: string) => void>()
  return {
    seen,
    listeners,
    update(id: string, before: Seen | undefined, now: Seen | undefined): void {
      if (before === undefined && now === undefined) return
      if (now) seen.set(id, now)
      else seen.delete(id)
      for (const listener of listeners) listener(id)
    },
    listen(listener: (id: string) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Caches our ChallengeInstances. A single watch updates all views. */
export function createInstanceWatch({ client, namespace, log, ...options }: InstanceWatchOptions) {
  const informer = createInformer({
    client,
    resource: challengeInstances,
    scope: { namespace, labelSelector: instanceIdLabel },
    clock: systemClock,
    log,
    random: Math.random,
    ...options,
  })
  const instances = createView<ObservedInstance>()
  const captures = createView<ObservedCapture>()
  const names = new Map<string, string>()
  const owners = new Map<string, PodOwner>()
  const stop = new AbortController()

  const update = (now: ChallengeInstance | undefined, before: ChallengeInstance | undefined): void => {
    const object = now ?? before
    const id = object && instanceIdOfObject(object)
    if (object === undefined || id === undefined) return
    const { name } = object.metadata
    for (const container of containersOf(object)) {
      const podName = objectNameOf(container)
      if (now) owners.set(podName, { id, container: containerNameOf(container) })
      else owners.delete(podName)
    }
    if (now) names.set(id, name)
    else names.delete(id)
    instances.update(id, before && toObservedInstance(before), now && toObservedInstance(now))
    captures.update(id, before && toObservedCapture(before), now && toObservedCapture(now))
  }
  informer.onChange(update)
  const following = informer.run(stop.signal)

  return {
    find: (id: string): ObservedInstance | undefined => instances.seen.get(id),
    /** @returns undefined before the first complete list */
    list: (): readonly ObservedInstance[] | undefined => (informer.synced() ? [...instances.seen.values()] : undefined),
    /**
     * Returns the name of an instance's object, even while the object is being deleted.
     * @returns undefined if there is no object
     */
    nameOf: (id: string): string | undefined => names.get(id),
    /** Returns the containers of an instance, starting with the entry container. @returns undefined if there is no object */
    findContainers(id: string): ObservedContainer[] | undefined {
      const object = informer.get(`${namespace}/${names.get(id)}`)
      return object && toObservedContainers(object)
    },
    /** Returns the container that runs in a pod. @returns undefined for a pod that belongs to no instance */
    ownerOf: (podName: string): PodOwner | undefined => owners.get(podName),
    /** Updates the views with the response to our own write, before the watch reports this write. */
    recordWrite(object: ChallengeInstance): void {
      const key = objectKeyOf(object)
      const before = informer.get(key)
      informer.recordWrite(object)
      const now = informer.get(key)
      if (now !== before) update(now, before)
    },
    listen: instances.listen,
    findCapture: (id: string): ObservedCapture | undefined => captures.seen.get(id),
    /** @returns undefined before the first complete list */
    listCaptures: (): readonly ObservedCapture[] | undefined => (informer.synced() ? [...captures.seen.values()] : undefined),
    listenToCaptures: captures.listen,
    async close(): Promise<void> {
      stop.abort()
      instances.listeners.clear()
      captures.listeners.clear()
      await following
    },
  }
}
