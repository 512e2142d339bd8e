import dayjs from 'dayjs'
import i18next, { type BackendModule, type i18n as I18n } from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Catalogue } from '../locales/en-US/index.ts'
import { defaultLanguage, findLanguage, type LanguageCode, languages } from './languages.ts'
import { FileError } from './load-file.ts'
import { reloadAfterUpgrade } from './upgrade.ts'

/** Namespaces of the texts. Each is an area with a file under `locales/<language>/`. */
export type Area = keyof Catalogue

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common'
    resources: Catalogue
  }
}

type AreaFile = Readonly<{
  default: Record<string, unknown>
}>

type Areas = Readonly<Record<string, () => Promise<AreaFile>>>

/** English is the fallback and part of the bundle. For other languages the list of areas loads first. */
const english: Areas = import.meta.glob<AreaFile>(['../locales/en-US/*.ts', '!../locales/en-US/index.ts'])
const others = import.meta.glob<{ default: Areas }>(['../locales/*/index.ts', '!../locales/en-US/index.ts'])

/** Returns the texts of an area. Returns an empty object if a language has no texts for the area. */
async function readArea(language: string, area: string): Promise<Record<string, unknown>> {
  const load =
    language === defaultLanguage
      ? english[`../locales/${language}/${area}.ts`]
      : (await others[`../locales/${language}/index.ts`]?.())?.default[`./${area}.ts`]
  return load ? (await load()).default : {}
}

/** Loads the texts of areas on demand. A failed load is retried once, and then again on the next request. */
const backend: BackendModule = {
  type: 'backend',
  init: () => undefined,
  read(language, area, done) {
    readArea(language, area).then(
      (texts) => done(null, texts as never),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), true),
    )
  },
}

/** Unicode blocks with letters that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Isolates the direction of a name that contains right-to-left letters, by invisible control characters (U+2068, U+2069). Use it
 * for strings. Elements use `<bdi>`.
 */
export function isolateDirection(name: string): string {
  return rightToLeft.test(name) ? `\u2068${name}\u2069` : name
}

/** Removes from a copied text the control characters that `isolate` adds. */
export function removeIsolationCharacters(text: string): string {
  return text.replace(/[\u2068\u2069]/g, '')
}

export const i18n: I18n = i18next.createInstance()

/** If a text is missing, the English text is shown. */
const fallbacks = {
  ...Object.fromEntries(languages.filter(({ partial }) => partial).map(({ code }) => [code, [defaultLanguage]])),
  default: [],
}

/** Last requested language. An earlier request that finishes later must not replace this language. */
let wanted: LanguageCode = defaultLanguage

/** Result of `startI18n`, which resolves when the common texts are loaded. Pages wait for this promise. */
let started: Promise<void> | undefined

/** Starts the translation in the visitor's language. Resolves when the common texts are loaded. */
export function startI18n(code: LanguageCode): Promise<void> {
  wanted = code
  started = start(code)
  return started
}

async function start(code: LanguageCode): Promise<void> {
  await i18n
    .use(backend)
    .use(initReactI18next)
    .init({
      lng: code,
      fallbackLng: fallbacks,
      load: 'currentOnly',
      ns: ['common'],
      defaultNS: 'common',
      // Isolate inserted names, so that they do not reorder adjacent words. React already escapes HTML.
      interpolation: { escapeValue: true, escape: isolateDirection },
      returnNull: false,
      react: { useSuspense: true, bindI18n: 'languageChanged loaded' },
    })
  await switchLanguage(code)
}

/**
 * Loads the missing texts of all areas in use. For an incomplete translation, the missing English texts are loaded too.
 * @throws Error if the texts of the language cannot be loaded
 */
async function loadLanguage(code: LanguageCode): Promise<void> {
  const areas = [i18n.options.ns ?? []].flat()
  for (const language of findLanguage(code).partial ? [code, defaultLanguage] : [code]) {
    const missing = areas.filter((area) => !i18n.hasResourceBundle(language, area))
    if (missing.length > 0) await i18n.reloadResources([language], missing)
  }
  if (!areas.every((area) => i18n.hasResourceBundle(code, area))) throw new Error(`The texts of ${code} could not be loaded`)
}

/**
 * Switches the texts, the dates and the language attribute of the page together, when all areas in use are loaded.
 * @throws Error if the load fails. In this case, nothing changes
 */
export async function switchLanguage(code: LanguageCode): Promise<void> {
  wanted = code
  const { dayjs: dateLocale } = findLanguage(code)
  await Promise.all([loadLanguage(code), dateLocales[dateLocale]?.()])
  if (wanted !== code) return
  dayjs.locale(dateLocale)
  document.documentElement.lang = code
  await i18n.changeLanguage(code)
}

/** Date formats by language. English is part of dayjs. */
const dateLocales: Readonly<Record<string, () => Promise<unknown>>> = {
  de: () => import('dayjs/locale/de'),
  es: () => import('dayjs/locale/es'),
  fr: () => import('dayjs/locale/fr'),
  id: () => import('dayjs/locale/id'),
  ja: () => import('dayjs/locale/ja'),
  ko: () => import('dayjs/locale/ko'),
  ru: () => import('dayjs/locale/ru'),
  zh: () => import('dayjs/locale/zh'),
  'zh-tw': () => import('dayjs/locale/zh-tw'),
}

/**
 * Loads the texts of areas before the page that needs them is shown. Throws if the load fails, because a page that shows text
 * keys is useless.
 */
export async function loadTextsOfAreas(areas: readonly Area[]): Promise<void> {
  if (!i18n.isInitialized) await Promise.all([started, ...areas.map((area) => readArea(wanted, area).catch(() => undefined))])
  await i18n.loadNamespaces([...areas])
  const missing = areas.filter((area) => !i18n.hasResourceBundle(i18n.language, area))
  if (missing.length === 0) return
  await reloadAfterUpgrade()
  throw new FileError(`The texts of ${missing.join(', ')} could not be loaded`)
}
