import { create } from 'zustand'
import { persist } from 'zustand/middleware'

interface NarrowWarning {
  readonly isDismissed: boolean
  readonly dismiss: () => void
}

/** Whether the visitor wants pages made for desktop width on a narrow screen without being warned. */
export const useNarrowWarning = create<NarrowWarning>()(
  persist((set) => ({ isDismissed: false, dismiss: () => set({ isDismissed: true }) }), {
    name: 'narrow-warning',
    partialize: ({ isDismissed }) => ({ isDismissed }),
  }),
)
