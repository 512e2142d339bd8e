import { defaultLanguage, type LanguageCode, languageCodes, matchLanguage } from '@capstan/contract/languages'

export { defaultLanguage, type LanguageCode } from '@capstan/contract/languages'

export type Language = Readonly<{
  label: string
  dayjs: string
  /**
   * Quality of the translation. If the value is set, a warning appears when the user selects the language. Remove the value after
   * a speaker of the language has reviewed the texts.
   */
  mark?: 'inProgress' | 'machine'
  /**
   * True if texts are missing. The page then shows the English texts, and the check of the catalogs accepts that texts are missing.
   */
  partial?: true
}>

/** Properties of each language of the interface. */
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

export function findLanguage(code: LanguageCode): Language {
  return registry[code]
}

export const languages: readonly (Language & { readonly code: LanguageCode })[] = /* @__PURE__ */ languageCodes.map((code) => ({
  code,
  ...registry[code],
}))

/** Returns the code if it is supported, or else en-US. */
export function toSupportedLanguage(code: string | null | undefined): LanguageCode {
  return languageCodes.find((known) => known.toLowerCase() === code?.toLowerCase()) ?? defaultLanguage
}

/** Returns the first language in the browser's list that is supported, or else en-US. For example, `de-AT` selects `de-DE`. */
export function findPreferredLanguage(wishes: readonly string[]): LanguageCode {
  return wishes.map(matchLanguage).find((code) => code !== undefined) ?? defaultLanguage
}

/** Local storage key of the selected language. The value is the plain language code. */
export const languageKey = 'language'

/** Returns the language that the visitor selected, or else the language of the browser. */
export function getSelectedLanguage(): LanguageCode {
  const stored = localStorage.getItem(languageKey)
  if (stored) return toSupportedLanguage(stored.replace(/^"|"$/g, ''))
  return findPreferredLanguage(navigator.languages)
}
