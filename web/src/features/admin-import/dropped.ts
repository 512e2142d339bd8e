import { create } from 'zustand'
import type { Collected } from './collect-files.ts'

type DroppedState = Readonly<{
  /** Files that the user dropped onto the challenge list. The import page takes them out of the store. */
  dropped: Promise<Collected> | undefined
  put: (dropped: Promise<Collected>) => void
  take: () => Promise<Collected> | undefined
}>

/** Store that passes dropped files to the import page, because an address cannot contain files. */
export const useDropped = create<DroppedState>()((set, get) => ({
  dropped: undefined,
  put: (dropped) => {
    // Ignore a failure here, because the page that takes the files reports it.
    dropped.catch(() => {})
    set({ dropped })
  },
  take: () => {
    const { dropped } = get()
    if (dropped) set({ dropped: undefined })
    return dropped
  },
}))
