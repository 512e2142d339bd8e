import type { InstanceRuntime, ObservedState } from './runtime.ts'

/** Result of a start at the time when the caller stopped waiting. */
export type StartOutcome =
  | Extract<ObservedState, { kind: 'ready' | 'failed' }>
  | { readonly kind: 'removed' }
  /** The instance was not ready in time. Its start continues. */
  | { readonly kind: 'pending' }

/** Waits for at most `timeoutMs` until the watch of the runtime shows the instance as ready, failed or removed. */
export function waitForStartOutcome(runtime: InstanceRuntime, id: string, timeoutMs: number): Promise<StartOutcome> {
  return new Promise((resolve) => {
    let wasSeen = false
    const settle = (outcome: StartOutcome): void => {
      clearTimeout(timer)
      unwatch()
      resolve(outcome)
    }
    const check = (): void => {
      const observed = runtime.find(id)
      // Right after the creation, the watch may not show the object yet. A missing object counts as removed only if the
      // watch has shown the object before.
      if (observed && observed.state.kind !== 'pending') settle(observed.state)
      else if (!observed && wasSeen) settle({ kind: 'removed' })
      wasSeen ||= observed !== undefined
    }
    const timer = setTimeout(() => settle({ kind: 'pending' }), timeoutMs)
    const unwatch = runtime.watch((changed) => {
      if (changed === id) check()
    })
    check()
  })
}
