import { type LanguageCode, negotiateLanguage } from './languages.ts'
import { Problem, type ProblemCode, type ProblemText, type ProblemTextCode, problems, problemTexts } from './problems.ts'
import { deDE } from './server-texts/de-DE.ts'
import { esES } from './server-texts/es-ES.ts'
import { frFR } from './server-texts/fr-FR.ts'
import { idID } from './server-texts/id-ID.ts'
import { jaJP } from './server-texts/ja-JP.ts'
import { koKR } from './server-texts/ko-KR.ts'
import { ruRU } from './server-texts/ru-RU.ts'
import { zhCN } from './server-texts/zh-CN.ts'
import { zhTW } from './server-texts/zh-TW.ts'

/** Texts of successful calls, in English. */
export const messages = {
  'register.logged-in': 'Your account is active, you are logged in',
  'register.admin-confirmation': 'An admin has to confirm your account',
  'register.email-confirmation': 'Please open the link in the mail that we have sent you',
  'recovery.sent': 'Please open the link in the mail that we have sent you',
  'email-change.sent': 'Please open the link in the mail that we have sent to the new address',
  'email-change.by-admin': 'Please ask an admin to change your e-mail address',
} as const

export type MessageCode = keyof typeof messages

/** What the server says in one language. */
export interface ServerTexts {
  /** Titles of problems. */
  readonly problems: Readonly<Record<ProblemCode, string>>
  /** Titles that name a field or a reason. */
  readonly texts: Readonly<Record<ProblemTextCode, string>>
  readonly messages: Readonly<Record<MessageCode, string>>
}

/** Titles of problems in English, by code. */
const titles = Object.fromEntries(Object.entries(problems).map(([code, { title }]) => [code, title])) as Record<
  ProblemCode,
  string
>

/** Every language; a missing text is an error of types. */
export const serverTexts: Readonly<Record<LanguageCode, ServerTexts>> = {
  'en-US': { problems: titles, texts: problemTexts, messages },
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

export const problemTitle = (code: ProblemCode, language: LanguageCode): string => serverTexts[language].problems[code]

/** An error as clients read it, in the language that an Accept-Language header asks for: contract ErrorMessage. */
export const problemAnswer = (code: ProblemCode, acceptLanguage: string | undefined) => {
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

/** A title with its values filled in. What is missed in a request is named in its own language, a member by its name. */
export const problemText = ({ code, values = {} }: ProblemText, language: LanguageCode): string => {
  const { texts } = serverTexts[language]
  const filled = { ...values, field: values.field || texts['input.request'] }
  return texts[code].replaceAll(/\{(\w+)\}/g, (whole, name: string) => String((filled as Record<string, unknown>)[name] ?? whole))
}
