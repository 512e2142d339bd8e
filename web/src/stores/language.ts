import { create } from 'zustand'
import { type LanguageCode, preferredLanguage, supportedLanguage } from '../lib/languages.ts'

/** The key in the browser's storage; its value is the bare code. */
const languageKey = 'language'

interface LanguageState {
  readonly code: LanguageCode
  /** Switches and remembers; an unsupported code becomes en-US. */
  readonly choose: (code: string) => void
}

const remembered = () => {
  const kept = localStorage.getItem(languageKey)
  if (kept) return supportedLanguage(kept.replace(/^"|"$/g, ''))
  return preferredLanguage(navigator.languages)
}

export const useLanguage = create<LanguageState>()((set) => ({
  code: remembered(),
  choose: (code) => {
    const supported = supportedLanguage(code)
    localStorage.setItem(languageKey, supported)
    set({ code: supported })
  },
}))
