import type { KubeClient } from './client.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { KubeObject, Resource } from './types.ts'

/** Kubernetes event with the fields that this package reads. */
export interface KubeEvent extends KubeObject {
  type?: string
  reason?: string
  note?: string
  eventTime?: string | null
  series?: { count: number; lastObservedTime: string }
  deprecatedCount?: number
  deprecatedLastTimestamp?: string | null
}

export const events: Resource<KubeEvent> = { apiVersion: 'events.k8s.io/v1', kind: 'Event', plural: 'events' }

const maxNoteLength = 1024

export interface EventContent {
  type: 'Normal' | 'Warning'
  reason: string
  /** Action taken, in PascalCase. */
  action: string
  note: string
}

/** Writes the events that `kubectl describe` shows. */
export interface EventRecorder {
  /** Writes an event. The promise never rejects: a failure is only logged, so that the caller can continue. */
  record(regarding: { resource: Resource; object: KubeObject }, happening: EventContent): Promise<void>
}

export function createEventRecorder(options: {
  client: Pick<KubeClient, 'create'>
  clock: Clock
  log: Log
  controller: string
  instance: string
}): EventRecorder {
  const { client, clock, log, controller, instance } = options
  return {
    async record({ resource, object }, { type, reason, action, note }) {
      const namespace = object.metadata.namespace ?? 'default'
      try {
        await client.create(events, namespace, {
          apiVersion: events.apiVersion,
          kind: events.kind,
          metadata: { generateName: `${object.metadata.name}-`, namespace },
          eventTime: clock.now().toISOString().replace('Z', '000Z'),
          reportingController: controller,
          reportingInstance: instance.slice(0, 128),
          type,
          reason,
          action,
          note: note.slice(0, maxNoteLength),
          regarding: {
            apiVersion: resource.apiVersion,
            kind: resource.kind,
            namespace,
            name: object.metadata.name,
            uid: object.metadata.uid,
            resourceVersion: object.metadata.resourceVersion,
          },
        })
      } catch (error) {
        log.warn({ err: error, reason, name: object.metadata.name }, 'Could not write an event')
      }
    },
  }
}
