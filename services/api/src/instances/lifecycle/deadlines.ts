import type { Clock } from '../../server/http/clock.ts'

/** Maximum delay of a timer in Node, in ms. A later deadline is checked again after this delay. */
const maxTimerMs = 2 ** 31 - 1

export type DeadlineOptions = Readonly<{
  clock: Clock
  list: () => readonly Readonly<{ id: string; at: Date }>[]
  /**
   * Callback for a deadline that has passed. It must remove the deadline from the list, so that it is called only once for this
   * deadline.
   */
  onDue: (id: string) => void
}>

/** Runs a single timer, which waits for the earliest of many deadlines. Call `refresh` after every change of the list. */
export function createDeadlineTimer({ clock, list, onDue }: DeadlineOptions) {
  let timer: NodeJS.Timeout | undefined
  const fire = (): void => {
    const now = clock.now()
    for (const { id, at } of list()) if (at <= now) onDue(id)
    refresh()
  }
  const refresh = (): void => {
    clearTimeout(timer)
    const next = list().reduce((earliest, { at }) => Math.min(earliest, at.getTime()), Number.POSITIVE_INFINITY)
    if (next === Number.POSITIVE_INFINITY) return
    timer = setTimeout(fire, Math.min(Math.max(0, next - clock.now().getTime()), maxTimerMs))
    timer.unref()
  }
  return {
    refresh,
    close(): void {
      clearTimeout(timer)
    },
  }
}
