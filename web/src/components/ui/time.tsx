import { useSyncExternalStore } from 'react'
import { serverNow } from '../../lib/clock.ts'
import { formatCountdown, formatDateTime, formatRelative, type Instant } from '../../lib/format.ts'
import { ExactTimeTooltip } from './tooltip.tsx'

/** Clock that all components of the page share, so that all countdowns change at the same time. */
const tick = (() => {
  const watchers = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  // Uses a new timeout for each second. An interval would drift, and a countdown would sometimes skip a second.
  const waitForSecond = () => {
    timer = setTimeout(ring, 1000 - (serverNow() % 1000))
  }
  const ring = () => {
    waitForSecond()
    for (const each of watchers) each()
  }
  return (watcher: () => void) => {
    watchers.add(watcher)
    if (timer === undefined) waitForSecond()
    return () => {
      watchers.delete(watcher)
      if (watchers.size > 0) return
      clearTimeout(timer)
      timer = undefined
    }
  }
})()

function never() {
  return () => undefined
}

/** Returns a value that depends on the current time in ms. The component renders again only when the value changes. */
export function useClockValue<Value extends string | number | boolean | undefined>(read: (now: number) => Value): Value {
  return useSyncExternalStore(tick, () => read(serverNow()))
}

/** Returns the current time in ms, rounded down to `stepMs`. The component renders again when the rounded time changes. */
export function useNow(stepMs = 1000, enabled = true): number {
  return useSyncExternalStore(enabled ? tick : never, () => Math.floor(serverNow() / stepMs) * stepMs)
}

/** Countdown to `until` in tabular figures. */
export function Countdown({ until, className }: Readonly<{ until: Instant; className?: string }>) {
  const now = useNow()
  return (
    <ExactTimeTooltip at={until}>
      <time role="timer" dateTime={new Date(until).toISOString()} className={className ?? 'number'}>
        {formatCountdown(new Date(until).getTime() - now)}
      </time>
    </ExactTimeTooltip>
  )
}

/** Relative time such as "3 minutes ago". The exact time in the visitor's zone appears on hover and focus. */
export function RelativeTime({ at, absolute }: Readonly<{ at: Instant; absolute?: boolean }>) {
  // The shared clock triggers the render but may be one step behind, so use the exact time.
  useNow(30_000)
  return (
    <ExactTimeTooltip at={at}>
      <time dateTime={new Date(at).toISOString()} className="number">
        {absolute ? formatDateTime(at) : formatRelative(at)}
      </time>
    </ExactTimeTooltip>
  )
}
