import { type ProblemCode, type ProblemTextCode, problems, problemTexts } from '../problems.ts'

/** Texts of successful calls, in English. */
const messages = {
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

export const enUS: ServerTexts = { problems: titles, texts: problemTexts, messages }
