import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { BoardSort } from './board.ts'

type BoardView = 'cards' | 'table'

type BoardPreferences = Readonly<{
  view: BoardView
  sort: BoardSort
  hideSolved: boolean
  chooseView: (view: BoardView) => void
  chooseSort: (sort: BoardSort) => void
  setHideSolved: (hideSolved: boolean) => void
}>

/** Stored preferences of the visitor for the board. Filters are not included, because the address contains them. */
export const useBoardPreferences = create<BoardPreferences>()(
  persist(
    (set) => ({
      view: 'cards',
      sort: 'solves',
      hideSolved: false,
      chooseView: (view) => set({ view }),
      chooseSort: (sort) => set({ sort }),
      setHideSolved: (hideSolved) => set({ hideSolved }),
    }),
    { name: 'challenge-board', partialize: ({ view, sort, hideSolved }) => ({ view, sort, hideSolved }) },
  ),
)
