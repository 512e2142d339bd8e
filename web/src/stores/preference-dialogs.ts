import { create } from 'zustand'
import { findLanguage, type LanguageCode } from '../lib/languages.ts'
import { useLanguage } from './language.ts'

/** `translation` is the warning about the selected language. */
type PreferenceDialog = 'language' | 'theme' | 'translation' | 'notices'

type PreferenceDialogState = Readonly<{
  shown: PreferenceDialog | null
  open: (dialog: PreferenceDialog) => void
  close: () => void
}>

/** Open preference dialog. The menu and the command palette open it. */
export const usePreferenceDialogs = create<PreferenceDialogState>()((set) => ({
  shown: null,
  open: (shown) => set({ shown }),
  close: () => set({ shown: null }),
}))

/** Switches the language, and warns if the translation is incomplete or made by a machine. */
export function pickLanguage(code: LanguageCode): void {
  useLanguage.getState().choose(code)
  const { open, close } = usePreferenceDialogs.getState()
  if (findLanguage(code).mark) open('translation')
  else close()
}
