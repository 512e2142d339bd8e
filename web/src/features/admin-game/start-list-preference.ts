import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type StartListPreference = Readonly<{
  isOpen: boolean
  toggle: () => void
}>

/** Whether an organizer wants to see what is left to do before the start; remembered. */
export const useStartListPreference = create<StartListPreference>()(
  persist((set) => ({ isOpen: true, toggle: () => set(({ isOpen }) => ({ isOpen: !isOpen })) }), {
    name: 'before-start',
    partialize: ({ isOpen }) => ({ isOpen }),
  }),
)
