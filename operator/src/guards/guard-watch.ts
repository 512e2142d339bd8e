import { type Clock, sleep } from '@capstan/kubernetes/clock'
import type { EventRecorder } from '@capstan/kubernetes/events'
import type { Log } from '@capstan/kubernetes/log'
import { Gauge, type Registry } from 'prom-client'
import { type FindObject, type Guard, inspect } from './guards.ts'

/** Between two looks, in milliseconds. */
const lookMs = 10_000

/** How often an alarm is raised again while its reason lasts, in milliseconds: Kubernetes forgets events within an hour. */
const reminderMs = 600_000

/** Reasons of the Kubernetes events. */
export const guardReasons = { missing: 'GuardMissing', restored: 'GuardRestored' } as const

/** What was seen of a guard. */
interface Seen {
  /** Why it does not protect; undefined: it does. */
  refusal: string | undefined
  /** When the last alarm was raised, by the steady clock; undefined while there is no reason for one. */
  alarmedAtMs: number | undefined
  /** The last look failed: what is known is what was. */
  isFailing: boolean
}

export interface GuardWatch {
  /** Looks at every guard once. Never rejects. */
  look(): Promise<void>
  /** Looks again and again until `signal` is aborted. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Raises an alarm when something is taken away that keeps challenges apart: in the log, as a Kubernetes event and in the metrics. It puts
 * nothing back: these objects are the chart's, and the right to write all of them would be worth stealing. ADR 15.
 */
export function createGuardWatch(options: {
  guards: readonly Guard[]
  find: FindObject
  /** Where the events are written, also those about what belongs to no namespace. */
  namespace: string
  events: EventRecorder
  clock: Clock
  log: Log
  registry: Registry
}): GuardWatch {
  const { guards, find, namespace, events, clock, log, registry } = options
  const seen = new Map<Guard, Seen>()
  new Gauge({
    name: 'capstan_operator_guard_in_place',
    help: '1 while what protects around challenges is in place, 0 while it is missing or changed; not a number while nobody can tell.',
    labelNames: ['kind', 'name'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [{ resource, name }, { refusal, isFailing }] of seen) {
        const value = refusal === undefined ? 1 : 0
        this.set({ kind: resource.kind, name }, isFailing ? Number.NaN : value)
      }
    },
  })

  const tell = (guard: Guard, type: 'Normal' | 'Warning', reason: string, note: string): Promise<void> => {
    const { resource, name } = guard
    // Perhaps of an object that is not there: its name is what counts.
    const metadata = { name, namespace, uid: '', resourceVersion: '', creationTimestamp: '' }
    return events.record({ resource, object: { metadata } }, { type, reason, action: 'Inspect', note })
  }

  async function lookAt(guard: Guard): Promise<void> {
    const { resource, name } = guard
    const before = seen.get(guard)
    const fields = { kind: resource.kind, name }
    let refusal: string | undefined
    try {
      refusal = await inspect(guard, find)
    } catch (error) {
      if (!before?.isFailing) log.warn({ err: error, ...fields }, 'Could not look at what protects challenges')
      seen.set(guard, { refusal: before?.refusal, alarmedAtMs: before?.alarmedAtMs, isFailing: true })
      return
    }
    const nowMs = clock.elapsedMs()
    const { alarmedAtMs } = before ?? {}
    const isDue = refusal !== undefined && (alarmedAtMs === undefined || nowMs - alarmedAtMs >= reminderMs)
    seen.set(guard, {
      refusal,
      alarmedAtMs: refusal === undefined ? undefined : isDue ? nowMs : alarmedAtMs,
      isFailing: false,
    })
    if (isDue) {
      log.error({ ...fields, refusal }, 'What protects challenges is not in place')
      await tell(guard, 'Warning', guardReasons.missing, `${resource.kind} ${name} does not protect challenges: ${refusal}.`)
    } else if (refusal === undefined && alarmedAtMs !== undefined) {
      log.info(fields, 'What protects challenges is in place again')
      await tell(guard, 'Normal', guardReasons.restored, `${resource.kind} ${name} protects challenges again.`)
    }
  }

  const look = async (): Promise<void> => {
    await Promise.all(guards.map(lookAt))
  }
  return {
    look,
    async run(signal) {
      while (!signal.aborted) {
        await look()
        await sleep(clock, lookMs, signal)
      }
    },
  }
}
