import { create } from 'zustand'
import { getSelectedLanguage, type LanguageCode, languageKey, toSupportedLanguage } from '../lib/languages.ts'

type LanguageState = Readonly<{
  code: LanguageCode
  /** Switches to a language and stores the choice. Uses en-US instead of an unsupported language. */
  choose: (code: string) => void
}>

export const useLanguage = create<LanguageState>()((set) => ({
  code: getSelectedLanguage(),
  choose: (code) => {
    const supported = toSupportedLanguage(code)
    localStorage.setItem(languageKey, supported)
    set({ code: supported })
  },
}))
