import { create } from 'zustand'
import { type LanguageCode, languageKey, rememberedLanguage, supportedLanguage } from '../lib/languages.ts'

type LanguageState = Readonly<{
  code: LanguageCode
  /** Switches the language and stores it. An unsupported code is replaced by en-US. */
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
