import { create } from 'zustand'
import { persist } from 'zustand/middleware'

type ChartView = 'chart' | 'table'

type ChartPreference = Readonly<{
  isOpen: boolean
  view: ChartView
  toggle: () => void
  chooseView: (view: ChartView) => void
}>

/** Stored preference to show or hide the chart above the standings. */
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
