import { type LanguageCode, negotiateLanguage } from './languages.ts'
import { Problem, type ProblemCode, type ProblemText } from './problems.ts'
import { deDE } from './server-texts/de-DE.ts'
import { enUS, type ServerTexts } from './server-texts/en-US.ts'
import { esES } from './server-texts/es-ES.ts'
import { frFR } from './server-texts/fr-FR.ts'
import { idID } from './server-texts/id-ID.ts'
import { jaJP } from './server-texts/ja-JP.ts'
import { koKR } from './server-texts/ko-KR.ts'
import { ruRU } from './server-texts/ru-RU.ts'
import { zhCN } from './server-texts/zh-CN.ts'
import { zhTW } from './server-texts/zh-TW.ts'

export type MessageCode = keyof ServerTexts['messages']

export type SheetWord = keyof ServerTexts['sheets']

/** Key of a page that the gateway shows if it gets no response from an instance. */
export type RoutePage = keyof ServerTexts['pages']

/** Server texts by language. A missing text is a type error. */
export const serverTexts: Readonly<Record<LanguageCode, ServerTexts>> = {
  'en-US': enUS,
  'zh-CN': zhCN,
  'zh-TW': zhTW,
  'ja-JP': jaJP,
  'id-ID': idID,
  'ko-KR': koKR,
  'ru-RU': ruRU,
  'de-DE': deDE,
  'fr-FR': frFR,
  'es-ES': esES,
}

export function problemTitle(code: ProblemCode, language: LanguageCode): string {
  return serverTexts[language].problems[code]
}

/**
 * Returns the response for a problem, with an `ErrorMessage` of the contract in the language that the Accept-Language header
 * requests.
 */
export function createProblemResponse(code: ProblemCode, acceptLanguage: string | undefined) {
  const language = negotiateLanguage(acceptLanguage)
  const { httpStatus, wireStatus } = new Problem(code)
  return {
    status: httpStatus,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-language': language,
      'x-content-type-options': 'nosniff',
    },
    body: { title: problemTitle(code, language), status: wireStatus, code },
  }
}

/** Replaces each `{name}` by its value. A placeholder without a value remains unchanged. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? whole) : whole))
}

/** Returns the path of a field in readable form, for example "Users 3 user name" for `users.3.userName`. */
function labelOf(path: string): string {
  const words = path
    .replaceAll('.', ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Returns a text with values instead of its placeholders. The placeholder `field` gets a readable form of the field's path.
 * Without a field, it gets the word for "request" in the language.
 */
export function formatProblemText({ code, values = {} }: ProblemText, language: LanguageCode): string {
  const { texts } = serverTexts[language]
  const filled = { ...values, field: values.field ? labelOf(String(values.field)) : texts['input.request'] }
  return fillPlaceholders(texts[code], Object.fromEntries(Object.entries(filled).map(([name, value]) => [name, String(value)])))
}
