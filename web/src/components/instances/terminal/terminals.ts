import { create } from 'zustand'

export type TerminalTab = Readonly<{
  id: string
  title: string
  isTest?: boolean
  /**
   * True to send every key immediately, for programs that control the whole screen. Otherwise the terminal sends complete lines.
   */
  isRaw: boolean
}>

type TerminalsState = Readonly<{
  tabs: readonly TerminalTab[]
  active: string | undefined
  isFolded: boolean
  height: number
  /** Activates the tab of an instance, and creates the tab if necessary. */
  open: (tab: Omit<TerminalTab, 'isRaw'>) => void
  close: (id: string) => void
  activate: (id: string) => void
  setRaw: (id: string, isRaw: boolean) => void
  fold: (isFolded: boolean) => void
  resize: (height: number) => void
}>

export const dockHeights = { min: 140, usual: 300 } as const

/** Tabs of the terminal dock. Their connections are in `sessions.ts`. */
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
