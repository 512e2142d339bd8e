import { create } from 'zustand'
import { type LanguageCode, languageKey, rememberedLanguage, supportedLanguage } from '../lib/languages.ts'

type LanguageState = Readonly<{
  code: LanguageCode
  /** Switches to a language and stores the choice. Uses en-US instead of an unsupported language. */
  choose: (code: string) => void
}>

export const useLanguage = create<LanguageState>()((set) => ({
  code: rememberedLanguage(),
  choose: (code) => {
    const supported = supportedLanguage(code)
    localStorage.setItem(languageKey, supported)
    set({ code: supported })
  },
}))
