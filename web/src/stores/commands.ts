import { useEffect } from 'react'
import { create } from 'zustand'

export type Command = Readonly<{
  id: string
  label: string
  group: string
  /** Additional words that let a search find the command. */
  keywords?: readonly string[]
  /** Short information that the palette shows at the end of the row, such as the points of a challenge. */
  note?: string
  /** Keyboard shortcut that the palette shows at the end of the row, such as `g c`. */
  shortcut?: string
  run: () => void
}>

type CommandState = Readonly<{
  sources: Readonly<Record<string, readonly Command[]>>
  paletteOpen: boolean
  /** Text that the user typed before the command palette was open. */
  typedAhead: string
  helpOpen: boolean
  offer: (source: string, commands: readonly Command[]) => void
  withdraw: (source: string) => void
  openPalette: (open: boolean) => void
  typeAhead: (typed: string) => void
  openHelp: (open: boolean) => void
}>

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

/** Offers commands in the command palette while the component is mounted. The caller must memoize `commands`. */
export function useCommands(source: string, commands: readonly Command[]): void {
  const offer = useCommandStore((state) => state.offer)
  const withdraw = useCommandStore((state) => state.withdraw)
  useEffect(() => {
    offer(source, commands)
    return () => withdraw(source)
  }, [source, commands, offer, withdraw])
}
