import { create } from 'zustand'
import { findLanguage, type LanguageCode } from '../lib/languages.ts'
import { useLanguage } from './language.ts'

/** `translation` is the dialog that warns about the quality of the selected translation. */
type PreferenceDialog = 'language' | 'theme' | 'translation' | 'notices'

type PreferenceDialogState = Readonly<{
  shown: PreferenceDialog | null
  open: (dialog: PreferenceDialog) => void
  close: () => void
}>

export const usePreferenceDialogs = create<PreferenceDialogState>()((set) => ({
  shown: null,
  open: (shown) => set({ shown }),
  close: () => set({ shown: null }),
}))

/** Switches to a language, and opens a warning if its translation is incomplete or made by a machine. */
export function chooseLanguage(code: LanguageCode): void {
  useLanguage.getState().choose(code)
  const { open, close } = usePreferenceDialogs.getState()
  if (findLanguage(code).mark) open('translation')
  else close()
}
