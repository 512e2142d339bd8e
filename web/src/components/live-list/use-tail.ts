import { useCallback, useRef, useState } from 'react'
import { countNewEntries, mergeReadAndPushedEntries, type TailRules } from './tail.ts'

type TailOptions<Entry> = TailRules<Entry> &
  Readonly<{
    read: readonly Entry[] | undefined
    pageSize: number
    /**
     * True for entries that match the filter of the list. The server applies the same filter to reads, but not to pushed entries.
     */
    accepts: (entry: Entry) => boolean
  }>

export type Tail<Entry> = Readonly<{
  entries: readonly Entry[] | undefined
  isPaused: boolean
  waiting: number
  push: (entry: Entry) => void
  pause: () => void
  resume: () => void
}>

/** Returns the first page of a live list, and functions to pause updates. */
export function useLiveFirstPage<Entry>({ read, pageSize, accepts, keyOf, timeOf }: TailOptions<Entry>): Tail<Entry> {
  const [pushed, setPushed] = useState<readonly Entry[]>([])
  const [paused, setPaused] = useState<readonly Entry[]>()
  const current = read && mergeReadAndPushedEntries({ read, pushed, pageSize, keyOf, timeOf }).filter(accepts)
  const latest = useRef(current)
  latest.current = current
  return {
    entries: paused ? paused.filter(accepts) : current,
    isPaused: paused !== undefined,
    waiting: paused && current ? countNewEntries(current, paused, keyOf) : 0,
    push: useCallback((entry: Entry) => setPushed((known) => [entry, ...known].slice(0, pageSize)), [pageSize]),
    pause: useCallback(() => setPaused(latest.current ?? []), []),
    resume: useCallback(() => setPaused(undefined), []),
  }
}
