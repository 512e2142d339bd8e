import { create } from 'zustand'
import type { Collected } from './collect-files.ts'

type DroppedState = Readonly<{
  /** What was dropped onto the list of challenges, until the import takes it. */
  dropped: Promise<Collected> | undefined
  put: (dropped: Promise<Collected>) => void
  take: () => Promise<Collected> | undefined
}>

/** Hands what was dropped on one page to another: files cannot stand in an address. */
export const useDropped = create<DroppedState>()((set, get) => ({
  dropped: undefined,
  put: (dropped) => {
    // Whoever takes it tells what failed.
    dropped.catch(() => {})
    set({ dropped })
  },
  take: () => {
    const { dropped } = get()
    if (dropped) set({ dropped: undefined })
    return dropped
  },
}))
