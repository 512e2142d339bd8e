import type { ChallengeInstance } from '@capstan/challenge-instance/challenge-instance'
import { containersOf, type Dependency, type InstanceContainer } from '@capstan/challenge-instance/containers'
import type { Pod } from '@capstan/kubernetes/built-in-kinds'
import type { DesiredObject } from '@capstan/kubernetes/types'
import { type Children, findObjectsOfContainer } from './children.ts'
import { findPodReplacementTime, getNextPodAttemptNumber } from './deadline.ts'
import { listUnmetDependencies } from './dependencies.ts'
import { type DesiredObjects, desiredObjects } from './desired/index.ts'
import { desiredNetworks } from './desired/networks.ts'
import { countEarlierFailures } from './pod-state.ts'
import type { Ports } from './ports.ts'
import type { Refusal } from './refusals.ts'
import type { InstanceSettings } from './settings.ts'

/** Data of a pass for one container of the instance. A pass is one reconciliation of an instance. */
export interface ContainerPass {
  instance: InstanceContainer
  children: Children
  endedPod: Pod | undefined
  /** Dependencies that prevent the start of the container. */
  unmet: readonly Dependency[]
  desired: DesiredObjects
  settings: InstanceSettings
  now: Date
  ports: Ports
}

/** Data of a pass, which is one reconciliation of an instance. */
export interface Pass {
  instance: ChallengeInstance
  /** All containers of the instance, the entry container first. */
  containers: readonly [ContainerPass, ...ContainerPass[]]
  /** Policies of the networks between the containers. */
  networks: readonly DesiredObject[]
  settings: InstanceSettings
  now: Date
  ports: Ports
}

export interface Outcome {
  /** Reason why an object of the container cannot be created, for example because the API server refuses it. */
  refusal?: Refusal | undefined
  failures: unknown[]
}

export function createReconcilePass(instance: ChallengeInstance, now: Date, ports: Ports): Pass {
  const settings = ports.settings()
  const containers = containersOf(instance)
  const podOf = (name: string): Pod | undefined => {
    const container = containers.find(({ place }) => place?.name === name)
    return container && findObjectsOfContainer(container, ports.caches).pod
  }
  const begin = (container: InstanceContainer): ContainerPass => {
    const children = findObjectsOfContainer(container, ports.caches)
    const { pod } = children
    const due = pod && findPodReplacementTime(pod)
    const endedPod = due !== undefined && due <= now ? pod : undefined
    const attempt = endedPod ? getNextPodAttemptNumber(endedPod, now) : pod ? countEarlierFailures(pod) : 0
    const unmet = listUnmetDependencies(container.place?.dependsOn ?? [], podOf)
    return {
      instance: container,
      children,
      endedPod,
      unmet,
      desired: desiredObjects(container, settings, attempt),
      settings,
      now,
      ports,
    }
  }
  const [entry, ...further] = containers
  return {
    instance,
    containers: [begin(entry), ...further.map(begin)],
    networks: desiredNetworks(containers, settings),
    settings,
    now,
    ports,
  }
}
