import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type ChartView = 'chart' | 'table'

type ChartPreference = Readonly<{
  isOpen: boolean
  view: ChartView
  toggle: () => void
  chooseView: (view: ChartView) => void
}>

/** Whether the visitor wants to see the lines above the standings, and how; remembered. */
export const useChartPreference = create<ChartPreference>()(
  persist(
    (set) => ({
      isOpen: true,
      view: 'chart',
      toggle: () => set(({ isOpen }) => ({ isOpen: !isOpen })),
      chooseView: (view) => set({ view }),
    }),
    { name: 'scoreboard-chart', partialize: ({ isOpen, view }) => ({ isOpen, view }) },
  ),
)
