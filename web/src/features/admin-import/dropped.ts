import { create } from 'zustand'
import type { Collected } from './collect-files.ts'

type DroppedState = Readonly<{
  /** Files that the user dropped onto the challenge list. The import page removes them from this store. */
  dropped: Promise<Collected> | undefined
  put: (dropped: Promise<Collected>) => void
  take: () => Promise<Collected> | undefined
}>

/** Store that passes dropped files to the import page, because an address cannot contain files. */
export const useDropped = create<DroppedState>()((set, get) => ({
  dropped: undefined,
  put: (dropped) => {
    // The import page reports a failure, so ignore it here.
    dropped.catch(() => {})
    set({ dropped })
  },
  take: () => {
    const { dropped } = get()
    if (dropped) set({ dropped: undefined })
    return dropped
  },
}))
