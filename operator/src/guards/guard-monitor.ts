import { type Clock, sleep } from '@capstan/kubernetes/clock'
import type { EventRecorder } from '@capstan/kubernetes/events'
import type { Log } from '@capstan/kubernetes/log'
import { Gauge, type Registry } from 'prom-client'
import { checkGuard, type FindObject, type Guard } from './guards.ts'

const checkEveryMs = 10_000

/**
 * Time between two alarms about the same fault, in ms. This time is shorter than the hour after which Kubernetes
 * deletes events. Therefore, while the fault lasts, there is always an event about the fault.
 */
const repeatAlarmMs = 600_000

const guardReasons = { missing: 'GuardMissing', restored: 'GuardRestored' } as const

interface GuardState {
  /** Reason why the guard does not protect challenges. Undefined if it protects them. */
  fault: string | undefined
  /** Value of `clock.elapsedMs()` at the last alarm. Undefined if `fault` is undefined. */
  alarmedAtMs: number | undefined
  /** True if the last check ended with an error. `fault` and `alarmedAtMs` then retain their earlier values. */
  isFailing: boolean
}

export interface GuardMonitor {
  checkAll(): Promise<void>
  /** Calls `checkAll` regularly until `signal` is aborted. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Creates a monitor that regularly checks the guards, which are the objects that isolate challenges. If a guard is missing or
 * changed, the monitor raises an alarm: in the log, as a Kubernetes event and in the metrics. The monitor does not restore the
 * guard, which belongs to the chart. To restore guards, the operator would need permission to write them, and a compromised
 * operator could then remove them. See ADR 15.
 */
export function createGuardMonitor(options: {
  guards: readonly Guard[]
  find: FindObject
  /** Namespace of all events, even of events about cluster-wide objects. */
  namespace: string
  events: EventRecorder
  clock: Clock
  log: Log
  registry: Registry
}): GuardMonitor {
  const { guards, find, namespace, events, clock, log, registry } = options
  const states = new Map<Guard, GuardState>()
  new Gauge({
    name: 'capstan_operator_guard_in_place',
    help: '1 if the guard of challenges is in place, 0 if it is missing or changed, NaN if the check failed.',
    labelNames: ['kind', 'name'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [{ resource, name }, { fault, isFailing }] of states) {
        const value = fault === undefined ? 1 : 0
        this.set({ kind: resource.kind, name }, isFailing ? Number.NaN : value)
      }
    },
  })

  const recordEvent = (guard: Guard, type: 'Normal' | 'Warning', reason: string, note: string): Promise<void> => {
    const { resource, name } = guard
    // Leave the `uid` empty, because the guard object may be missing from the cluster.
    const metadata = { name, namespace, uid: '', resourceVersion: '', creationTimestamp: '' }
    return events.record({ resource, object: { metadata } }, { type, reason, action: 'Inspect', note })
  }

  async function check(guard: Guard): Promise<void> {
    const { resource, name } = guard
    const before = states.get(guard)
    const fields = { kind: resource.kind, name }
    let fault: string | undefined
    try {
      fault = await checkGuard(guard, find)
    } catch (error) {
      if (!before?.isFailing) log.warn({ err: error, ...fields }, 'Could not check a guard of challenges')
      states.set(guard, { fault: before?.fault, alarmedAtMs: before?.alarmedAtMs, isFailing: true })
      return
    }
    const nowMs = clock.elapsedMs()
    const { alarmedAtMs } = before ?? {}
    const isDue = fault !== undefined && (alarmedAtMs === undefined || nowMs - alarmedAtMs >= repeatAlarmMs)
    states.set(guard, {
      fault,
      alarmedAtMs: fault === undefined ? undefined : isDue ? nowMs : alarmedAtMs,
      isFailing: false,
    })
    if (isDue) {
      log.error({ ...fields, fault }, 'A guard of challenges is missing or changed')
      await recordEvent(guard, 'Warning', guardReasons.missing, `${resource.kind} ${name} does not protect challenges: ${fault}.`)
    } else if (fault === undefined && alarmedAtMs !== undefined) {
      log.info(fields, 'A guard of challenges is in place again')
      await recordEvent(guard, 'Normal', guardReasons.restored, `${resource.kind} ${name} protects challenges again.`)
    }
  }

  const checkAll = async (): Promise<void> => {
    await Promise.all(guards.map(check))
  }
  return {
    checkAll,
    async run(signal) {
      while (!signal.aborted) {
        await checkAll()
        await sleep(clock, checkEveryMs, signal)
      }
    },
  }
}
