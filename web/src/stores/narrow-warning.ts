import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type NarrowWarning = Readonly<{
  isDismissed: boolean
  dismiss: () => void
}>

/** Store that contains whether the visitor has dismissed the warning about pages that are made for desktops. */
export const useNarrowWarning = create<NarrowWarning>()(
  persist((set) => ({ isDismissed: false, dismiss: () => set({ isDismissed: true }) }), {
    name: 'narrow-warning',
    partialize: ({ isDismissed }) => ({ isDismissed }),
  }),
)
