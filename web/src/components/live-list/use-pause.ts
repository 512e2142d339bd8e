import { useState } from 'react'
import { countNewEntries } from './tail.ts'

type PauseOptions<Entry> = Readonly<{
  current: readonly Entry[] | undefined
  keyOf: (entry: Entry) => string
  /** Key that identifies the list and its filters. A pause of the list ends when the key changes. */
  scope: string
}>

/** Pauses a live list. Entries that arrive during a pause are only counted. */
export function useListPause<Entry>({ current, keyOf, scope }: PauseOptions<Entry>) {
  const [paused, setPaused] = useState<Readonly<{ scope: string; entries: readonly Entry[] }>>()
  const frozen = paused?.scope === scope ? paused.entries : undefined
  return {
    entries: frozen ?? current,
    isPaused: frozen !== undefined,
    waiting: frozen && current ? countNewEntries(current, frozen, keyOf) : 0,
    pause: () => setPaused({ scope, entries: current ?? [] }),
    resume: () => setPaused(undefined),
  }
}
