import type { Clock } from '../../server/http/clock.ts'
import type { InstanceRuntime, ObservedState } from './runtime.ts'

/**
 * Maximum number of instances in the log, and of steps for each instance. The log retains the newest instances and the first steps
 * of each.
 */
const maxInstances = 500
const maxSteps = 40

/** State that the runtime reported for an instance, and the time at which it was reported. */
export type StartStep = Readonly<{
  at: Date
  state: ObservedState
}>

function isSame(one: ObservedState, other: ObservedState): boolean {
  return one.kind === other.kind && (one.kind === 'ready' || (other.kind !== 'ready' && one.message === other.message))
}

/**
 * Records the steps of starting instances that this process observes. The log is lost on a restart, which is harmless, since the
 * rows have all required data. Steps of ended instances are retained for a while, because users ask why an instance ended.
 */
export function createStartLog({ runtime, clock }: Readonly<{ runtime: InstanceRuntime; clock: Clock }>) {
  const steps = new Map<string, StartStep[]>()
  const note = (id: string): void => {
    const state = runtime.find(id)?.state
    if (!state) return
    const known = steps.get(id) ?? []
    const last = known.at(-1)
    if (known.length >= maxSteps || (last && isSame(last.state, state))) return
    known.push({ at: clock.now(), state })
    steps.set(id, known)
    const [oldest] = steps.keys()
    if (steps.size > maxInstances && oldest !== undefined) steps.delete(oldest)
  }
  const close = runtime.watch(note)
  return {
    /** Returns the steps, oldest first. Empty if no step was observed. */
    stepsOf: (id: string): readonly StartStep[] => steps.get(id) ?? [],
    close,
  }
}

export type StartLog = ReturnType<typeof createStartLog>
