import { create } from 'zustand'

export type TerminalTab = Readonly<{
  /** UUID of the instance. */
  id: string
  /** Of the challenge. */
  title: string
  /** A test container of an organizer, which has an address of its own. */
  isTest?: boolean
  /** Every key goes out at once, for programs that draw their own screen. Otherwise whole lines are sent. */
  isRaw: boolean
}>

type TerminalsState = Readonly<{
  tabs: readonly TerminalTab[]
  active: string | undefined
  /** Folded to its bar. */
  isFolded: boolean
  /** Height of the open dock, pixels. */
  height: number
  /** Brings the instance's tab to the front, making it first if it is new. */
  open: (tab: Omit<TerminalTab, 'isRaw'>) => void
  close: (id: string) => void
  activate: (id: string) => void
  setRaw: (id: string, isRaw: boolean) => void
  fold: (isFolded: boolean) => void
  resize: (height: number) => void
}>

export const dockHeights = { min: 140, usual: 300 } as const

/** The tabs of the terminal dock. The connections themselves live in `terminal-session.ts`. */
export const useTerminals = create<TerminalsState>()((set) => ({
  tabs: [],
  active: undefined,
  isFolded: false,
  height: dockHeights.usual,
  open: (tab) =>
    set(({ tabs }) => ({
      tabs: tabs.some(({ id }) => id === tab.id) ? tabs : [...tabs, { ...tab, isRaw: false }],
      active: tab.id,
      isFolded: false,
    })),
  close: (id) =>
    set(({ tabs, active }) => {
      const at = tabs.findIndex((tab) => tab.id === id)
      const left = tabs.filter((tab) => tab.id !== id)
      return { tabs: left, active: active === id ? (left[at] ?? left[at - 1])?.id : active }
    }),
  activate: (active) => set({ active, isFolded: false }),
  setRaw: (id, isRaw) => set(({ tabs }) => ({ tabs: tabs.map((tab) => (tab.id === id ? { ...tab, isRaw } : tab)) })),
  fold: (isFolded) => set({ isFolded }),
  resize: (height) => set({ height: Math.max(dockHeights.min, height) }),
}))
