import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type StartListPreference = Readonly<{
  isOpen: boolean
  toggle: () => void
}>

/** Stored preference to show or hide the list of steps before the start of the game. */
export const useStartListPreference = create<StartListPreference>()(
  persist((set) => ({ isOpen: true, toggle: () => set(({ isOpen }) => ({ isOpen: !isOpen })) }), {
    name: 'before-start',
    partialize: ({ isOpen }) => ({ isOpen }),
  }),
)
