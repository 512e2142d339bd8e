import { create } from 'zustand'
import type { Collected } from './collect-files.ts'

type DroppedState = Readonly<{
  /** Files dropped onto the challenge list, until the import takes them. */
  dropped: Promise<Collected> | undefined
  put: (dropped: Promise<Collected>) => void
  take: () => Promise<Collected> | undefined
}>

/** Passes dropped files to another page, because an address cannot contain files. */
export const useDropped = create<DroppedState>()((set, get) => ({
  dropped: undefined,
  put: (dropped) => {
    // The page that takes it reports the failure.
    dropped.catch(() => {})
    set({ dropped })
  },
  take: () => {
    const { dropped } = get()
    if (dropped) set({ dropped: undefined })
    return dropped
  },
}))
