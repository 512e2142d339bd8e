import type { ContainerAddress } from '@capstan/challenge-instance/container-address'
import { objectNameOf } from '@capstan/challenge-instance/containers'
import { eventLimits, type SentEvent } from '@capstan/challenge-instance/events-request'
import type { KubeClient } from '@capstan/kubernetes/client'
import { events, type KubeEvent } from '@capstan/kubernetes/events'
import type { Caches } from '../challenge-instance/ports.ts'
import { findContainer } from './find-container.ts'

/**
 * Maximum number of events that are read for a pod. The API server does not sort events by time, so the newest events may be
 * missing if a pod has more events.
 */
const maxRead = 500

/** Source of the Kubernetes events about the pods of containers. */
export interface EventSource {
  /** Returns the newest events of a container's pod, the newest first. @returns undefined if there is no such container */
  list(address: ContainerAddress): Promise<SentEvent[] | undefined>
}

/** Creates an `EventSource`. The results include events of earlier pods of the container. */
export function createEventSource({
  client,
  caches,
  namespace,
}: {
  client: Pick<KubeClient, 'listPage'>
  caches: Pick<Caches, 'instances'>
  namespace: string
}): EventSource {
  return {
    async list(address) {
      const container = findContainer(caches, namespace, address)
      if (container === undefined) return undefined
      const fieldSelector = `regarding.kind=Pod,regarding.name=${objectNameOf(container)}`
      const { items } = await client.listPage(events, { namespace, fieldSelector }, { limit: maxRead })
      return items
        .map(toEvent)
        .toSorted((one, other) => other.lastAt.localeCompare(one.lastAt))
        .slice(0, eventLimits.count)
    },
  }
}

/**
 * Converts an event, and shortens its texts. Clients write the count and the time of an event either into `series` or
 * into the deprecated fields.
 */
function toEvent({ metadata, type, reason, note, series, eventTime, ...deprecated }: KubeEvent): SentEvent {
  const { deprecatedCount, deprecatedLastTimestamp } = deprecated
  const at = series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata.creationTimestamp
  return {
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason: (reason ?? '').slice(0, eventLimits.reasonLength),
    message: (note ?? '').slice(0, eventLimits.messageLength),
    count: Math.max(1, series?.count ?? deprecatedCount ?? 1),
    lastAt: new Date(at ?? 0).toISOString(),
  }
}
