import { create } from 'zustand'
import { findLanguage, type LanguageCode } from '../lib/languages.ts'
import { useLanguage } from './language.ts'

/** `translation`: the warning about the chosen language. */
type PreferenceDialog = 'language' | 'theme' | 'translation' | 'notices'

type PreferenceDialogState = Readonly<{
  shown: PreferenceDialog | null
  open: (dialog: PreferenceDialog) => void
  close: () => void
}>

/** Open preference dialog, from the menu or the command palette. */
export const usePreferenceDialogs = create<PreferenceDialogState>()((set) => ({
  shown: null,
  open: (shown) => set({ shown }),
  close: () => set({ shown: null }),
}))

/** Switches the language, and warns if its translation is unfinished or machine-made. */
export function pickLanguage(code: LanguageCode): void {
  useLanguage.getState().choose(code)
  const { open, close } = usePreferenceDialogs.getState()
  if (findLanguage(code).mark) open('translation')
  else close()
}
