import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type NarrowWarning = Readonly<{
  isDismissed: boolean
  dismiss: () => void
}>

/** Store that says whether the visitor has disabled the warning about desktop pages on a narrow screen. */
export const useNarrowWarning = create<NarrowWarning>()(
  persist((set) => ({ isDismissed: false, dismiss: () => set({ isDismissed: true }) }), {
    name: 'narrow-warning',
    partialize: ({ isDismissed }) => ({ isDismissed }),
  }),
)
