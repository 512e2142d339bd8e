import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { defaultBrand, isHexColor } from '../lib/palette.ts'

export type ThemeProvider = 'Managed' | 'Default' | 'Custom'

export type ThemeChoice = Readonly<{
  provider: ThemeProvider
  /** Color that the user selected, in the form `#rrggbb`. */
  color: string | null
}>

type ThemeState = ThemeChoice &
  Readonly<{
    chooseManaged: () => void
    chooseDefault: () => void
    /** Sets the color. Ignores values that are not `#` with six hex digits. */
    chooseCustom: (color: string) => void
  }>

/** Returns a valid choice. `Custom` without a valid color becomes `Managed`. */
export function toValidThemeChoice(choice: ThemeChoice): ThemeChoice {
  return choice.provider === 'Custom' && !isHexColor(choice.color) ? { provider: 'Managed', color: null } : choice
}

/** Returns the accent color to show: the selected color, the color from the server if it is valid, or the built-in color. */
export function getAccentColor(choice: ThemeChoice, serverTheme: string | null | undefined): string {
  const { provider, color } = toValidThemeChoice(choice)
  if (provider === 'Custom' && color) return color
  return provider === 'Managed' && isHexColor(serverTheme) ? serverTheme : defaultBrand
}

export const useTheme = create<ThemeState>()(
  persist(
    (set) => ({
      provider: 'Managed',
      color: null,
      chooseManaged: () => set({ provider: 'Managed' }),
      chooseDefault: () => set({ provider: 'Default' }),
      chooseCustom: (color) => isHexColor(color) && set({ provider: 'Custom', color }),
    }),
    {
      name: 'theme',
      partialize: ({ provider, color }) => ({ provider, color }),
      merge: (stored, state) => ({ ...state, ...toValidThemeChoice({ ...state, ...(stored as Partial<ThemeChoice>) }) }),
    },
  ),
)
