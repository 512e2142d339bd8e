import type { Clock } from '../../server/http/clock.ts'
import type { InstanceRuntime, ObservedState } from './runtime.ts'

/** Instances remembered, the newest; and steps of one, the first. */
const instancesMax = 500
const stepsMax = 40

/** What the runtime showed of an instance, and since when. */
export type StartStep = Readonly<{
  at: Date
  state: ObservedState
}>

function isSame(one: ObservedState, other: ObservedState): boolean {
  return one.kind === other.kind && (one.kind === 'ready' || (other.kind !== 'ready' && one.message === other.message))
}

/**
 * Remembers on what way instances came up, as the runtime showed it to this process. Of no use after a restart: what counts is
 * in the rows. Instances that are gone stay known for a while, because why they are gone is what people ask.
 */
export function createStartLog({ runtime, clock }: { readonly runtime: InstanceRuntime; readonly clock: Clock }) {
  const steps = new Map<string, StartStep[]>()
  const note = (id: string): void => {
    const state = runtime.find(id)?.state
    if (!state) return
    const known = steps.get(id) ?? []
    const last = known.at(-1)
    if (known.length >= stepsMax || (last && isSame(last.state, state))) return
    known.push({ at: clock.now(), state })
    steps.set(id, known)
    const [oldest] = steps.keys()
    if (steps.size > instancesMax && oldest !== undefined) steps.delete(oldest)
  }
  const close = runtime.watch(note)
  return {
    /** Oldest first; empty: nothing was seen. */
    stepsOf: (id: string): readonly StartStep[] => steps.get(id) ?? [],
    close,
  }
}

export type StartLog = ReturnType<typeof createStartLog>
