import { create } from 'zustand'
import { findLanguage, type LanguageCode } from '../lib/languages.ts'
import { useLanguage } from './language.ts'

/** `translation`: the warning about the language just chosen. */
type PreferenceDialog = 'language' | 'theme' | 'translation' | 'notices'

interface PreferenceDialogState {
  readonly shown: PreferenceDialog | null
  readonly open: (dialog: PreferenceDialog) => void
  readonly close: () => void
}

/** Which choice of the visitor is being made; opened from the menu and from the command palette. */
export const usePreferenceDialogs = create<PreferenceDialogState>()((set) => ({
  shown: null,
  open: (shown) => set({ shown }),
  close: () => set({ shown: null }),
}))

/** Switches the language, and warns where its translation is unfinished or made by machine. */
export function pickLanguage(code: LanguageCode): void {
  useLanguage.getState().choose(code)
  const { open, close } = usePreferenceDialogs.getState()
  if (findLanguage(code).mark) open('translation')
  else close()
}
