import { useState } from 'react'
import { countNew } from './tail.ts'

type PauseOptions<Entry> = Readonly<{
  /** The page as last read; undefined until then. */
  current: readonly Entry[] | undefined
  keyOf: (entry: Entry) => string
  /** Changes with the filter. A pause ends when another list is shown. */
  scope: string
}>

/** A live list that can be paused. Entries that arrive during a pause are counted, not shown. */
export function usePause<Entry>({ current, keyOf, scope }: PauseOptions<Entry>) {
  const [paused, setPaused] = useState<{ readonly scope: string; readonly entries: readonly Entry[] }>()
  const frozen = paused?.scope === scope ? paused.entries : undefined
  return {
    entries: frozen ?? current,
    isPaused: frozen !== undefined,
    waiting: frozen && current ? countNew(current, frozen, keyOf) : 0,
    pause: () => setPaused({ scope, entries: current ?? [] }),
    resume: () => setPaused(undefined),
  }
}
