import { defaultLanguage, type LanguageCode, languageCodes, matchLanguage } from '@capstan/contract/languages'

export { defaultLanguage, type LanguageCode } from '@capstan/contract/languages'

export interface Language {
  /** Its own name, in itself. */
  readonly label: string
  /** The date locale. */
  readonly dayjs: string
  /** Shows a warning when the language is chosen. Taken away when somebody has reviewed it. */
  readonly mark?: 'inProgress' | 'machine'
  /** Some texts are still missing: they are shown in English, and the check of the catalogues accepts that. */
  readonly partial?: true
}

/** The languages of the interface, with what the interface needs to know of each. */
const registry: Readonly<Record<LanguageCode, Language>> = {
  'en-US': { label: 'English', dayjs: 'en' },
  'zh-CN': { label: '简体中文', dayjs: 'zh' },
  'zh-TW': { label: '繁體中文', dayjs: 'zh-tw' },
  'ja-JP': { label: '日本語', dayjs: 'ja' },
  'id-ID': { label: 'Bahasa Indonesia', dayjs: 'id' },
  'ko-KR': { label: '한국어', dayjs: 'ko', mark: 'inProgress' },
  'ru-RU': { label: 'Русский', dayjs: 'ru', mark: 'inProgress' },
  'de-DE': { label: 'Deutsch', dayjs: 'de', mark: 'machine' },
  'fr-FR': { label: 'Français', dayjs: 'fr', mark: 'machine' },
  'es-ES': { label: 'Español', dayjs: 'es', mark: 'machine' },
}

export const findLanguage = (code: LanguageCode): Language => registry[code]

/** Every language in the order of the selector. */
export const languages: readonly (Language & { readonly code: LanguageCode })[] = /* @__PURE__ */ languageCodes.map((code) => ({
  code,
  ...registry[code],
}))

/** The code if we have it, else en-US. */
export const supportedLanguage = (code: string | null | undefined): LanguageCode =>
  languageCodes.find((known) => known.toLowerCase() === code?.toLowerCase()) ?? defaultLanguage

/** The first of a browser's languages that we have, `de-AT` being served by `de-DE`; else en-US. */
export const preferredLanguage = (wishes: readonly string[]): LanguageCode =>
  wishes.map(matchLanguage).find((code) => code !== undefined) ?? defaultLanguage

/** The key in the browser's storage; its value is the bare code. */
export const languageKey = 'language'

/** The language that the visitor chose here, else the one of the browser. */
export const rememberedLanguage = (): LanguageCode => {
  const kept = localStorage.getItem(languageKey)
  if (kept) return supportedLanguage(kept.replace(/^"|"$/g, ''))
  return preferredLanguage(navigator.languages)
}
