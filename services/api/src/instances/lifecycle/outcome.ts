import type { InstanceRuntime, ObservedState } from './runtime.ts'

/** How a start ended, as far as was waited for it. */
export type StartOutcome =
  | Extract<ObservedState, { kind: 'ready' | 'failed' }>
  /** The object is gone before it was ready. */
  | { readonly kind: 'gone' }
  /** Not ready in time; it goes on by itself. */
  | { readonly kind: 'pending' }

/** Waits on the runtime's shared watch until an instance is ready, failed or gone, at most `timeoutMs`. */
export function waitForOutcome(runtime: InstanceRuntime, id: string, timeoutMs: number): Promise<StartOutcome> {
  return new Promise((resolve) => {
    let wasSeen = false
    const settle = (outcome: StartOutcome): void => {
      clearTimeout(timer)
      unwatch()
      resolve(outcome)
    }
    const look = (): void => {
      const observed = runtime.find(id)
      // Right after creation the watch may not have shown the object yet: that it is gone shows only once it was there.
      if (observed && observed.state.kind !== 'pending') settle(observed.state)
      else if (!observed && wasSeen) settle({ kind: 'gone' })
      wasSeen ||= observed !== undefined
    }
    const timer = setTimeout(() => settle({ kind: 'pending' }), timeoutMs)
    const unwatch = runtime.watch((changed) => {
      if (changed === id) look()
    })
    look()
  })
}
