import { useEffect } from 'react'
import { create } from 'zustand'

/** Something the command palette offers. */
export interface Command {
  readonly id: string
  readonly label: string
  /** Heading under which it stands. */
  readonly group: string
  /** Further words to find it by. */
  readonly keywords?: readonly string[]
  /** Facts at the end, such as the points of a challenge. */
  readonly note?: string
  /** Shown at the end, as in the shortcut help: `g c`. */
  readonly shortcut?: string
  readonly run: () => void
}

interface CommandState {
  readonly sources: Readonly<Record<string, readonly Command[]>>
  readonly paletteOpen: boolean
  /** What was typed for the palette before it was there. */
  readonly typedAhead: string
  readonly helpOpen: boolean
  readonly offer: (source: string, commands: readonly Command[]) => void
  readonly withdraw: (source: string) => void
  readonly openPalette: (open: boolean) => void
  readonly typeAhead: (typed: string) => void
  readonly openHelp: (open: boolean) => void
}

export const useCommandStore = create<CommandState>()((set) => ({
  sources: {},
  paletteOpen: false,
  typedAhead: '',
  helpOpen: false,
  offer: (source, commands) => set(({ sources }) => ({ sources: { ...sources, [source]: commands } })),
  withdraw: (source) =>
    set(({ sources }) => ({ sources: Object.fromEntries(Object.entries(sources).filter(([name]) => name !== source)) })),
  openPalette: (paletteOpen) => set({ paletteOpen, typedAhead: '' }),
  typeAhead: (typed) => set(({ typedAhead }) => ({ typedAhead: typedAhead + typed })),
  openHelp: (helpOpen) => set({ helpOpen }),
}))

/** Offers commands while the component is mounted. Memoize `commands`. */
export function useCommands(source: string, commands: readonly Command[]): void {
  const offer = useCommandStore((state) => state.offer)
  const withdraw = useCommandStore((state) => state.withdraw)
  useEffect(() => {
    offer(source, commands)
    return () => withdraw(source)
  }, [source, commands, offer, withdraw])
}
