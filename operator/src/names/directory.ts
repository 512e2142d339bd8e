import { containerLabel, instanceLabel, namesAnnotation, teamLabel } from '@capstan/challenge-instance/labels'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'

/** Container that sends a DNS query, and the names that it can resolve. */
export interface Asker {
  instance: string
  /** Team of the instance. If there is no team, the instance itself. */
  owner: string
  /** Map from each name that the container may resolve to the name of the container that has this name or alias. */
  names: ReadonlyMap<string, string>
}

/** Table in which the name server looks up containers and their IP addresses. */
export interface Directory {
  /** Processes a change of a pod that an informer reports. */
  change(now: Pod | undefined, before: Pod | undefined): void
  /**
   * Returns the container with this address.
   * @returns undefined if no running pod has this address
   */
  askerAt(address: string): Asker | undefined
  addressesOf(instance: string, container: string): string[]
}

function addressesOfPod({ status }: Pod): string[] {
  const all = [status?.podIP, ...(status?.podIPs ?? []).map(({ ip }) => ip)]
  return [...new Set(all.filter((address) => address !== undefined))]
}

/** True if the pod no longer runs. Another pod may then have its address. */
function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}

function keyOf(instance: string, container: string): string {
  return `${instance}/${container}`
}

function containerKeyOf({ metadata: { labels } }: Pod): string | undefined {
  const instance = labels?.[instanceLabel]
  const container = labels?.[containerLabel]
  return instance === undefined || container === undefined ? undefined : keyOf(instance, container)
}

export function createContainerDirectory(): Directory {
  const byAddress = new Map<string, Pod>()
  const byContainer = new Map<string, Map<string, Pod>>()

  function remove(pod: Pod): void {
    const { uid } = pod.metadata
    for (const address of addressesOfPod(pod)) if (byAddress.get(address)?.metadata.uid === uid) byAddress.delete(address)
    const key = containerKeyOf(pod)
    const replicas = key === undefined ? undefined : byContainer.get(key)
    if (key === undefined || replicas === undefined) return
    replicas.delete(uid)
    if (replicas.size === 0) byContainer.delete(key)
  }

  function add(pod: Pod): void {
    const key = containerKeyOf(pod)
    if (key === undefined || hasEnded(pod)) return
    for (const address of addressesOfPod(pod)) byAddress.set(address, pod)
    const replicas = byContainer.get(key)
    if (replicas) replicas.set(pod.metadata.uid, pod)
    else byContainer.set(key, new Map([[pod.metadata.uid, pod]]))
  }

  return {
    change(now, before) {
      if (before) remove(before)
      if (now) add(now)
    },
    askerAt(address) {
      const { labels, annotations } = byAddress.get(address)?.metadata ?? {}
      const instance = labels?.[instanceLabel]
      if (instance === undefined) return undefined
      const names = JSON.parse(annotations?.[namesAnnotation] ?? '{}') as Record<string, string>
      return { instance, owner: labels?.[teamLabel] ?? instance, names: new Map(Object.entries(names)) }
    },
    addressesOf(instance, container) {
      const replicas = [...(byContainer.get(keyOf(instance, container))?.values() ?? [])]
      return replicas.filter(({ metadata }) => metadata.deletionTimestamp === undefined).flatMap(addressesOfPod)
    },
  }
}
