import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import type { Scheme } from '../lib/palette.ts'

export type SchemeChoice = 'dark' | 'light' | 'auto'

type SchemeState = Readonly<{
  choice: SchemeChoice
  /** Color scheme of the operating system. The page uses it if the choice is `auto`. */
  system: Scheme
  choose: (choice: SchemeChoice) => void
  systemChanged: (system: Scheme) => void
}>

/**
 * Store with the user's choice of a color scheme. The default is dark. `public/first-paint.js` reads the same storage key before
 * the first paint.
 */
export const useColorScheme = create<SchemeState>()(
  persist(
    (set) => ({
      choice: 'dark',
      system: 'dark',
      choose: (choice) => set({ choice }),
      systemChanged: (system) => set({ system }),
    }),
    { name: 'color-scheme', partialize: ({ choice }) => ({ choice }) },
  ),
)

export function resolveColorScheme({ choice, system }: Pick<SchemeState, 'choice' | 'system'>): Scheme {
  return choice === 'auto' ? system : choice
}
