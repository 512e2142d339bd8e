import type { ProblemCode } from '@capstan/contract/problems'
import { ApiError } from './http.ts'

/**
 * The inputs that a refusal may be about, by its code; each form has one of them at most. What stands nowhere here is about the
 * form as a whole.
 */
const fieldsOf: Partial<Record<ProblemCode, readonly string[]>> = {
  'email.domain': ['email', 'newMail'],
  'email.taken': ['email', 'newMail'],
  'email.refused': ['recipient'],
  'username.taken': ['userName'],
  'username.address': ['userName'],
  'name.unreadable': ['userName', 'name'],
  'password.weak': ['password', 'new'],
  'password.wrong': ['old'],
  'account.unknown': ['email'],
  'team.name-required': ['name'],
  'team.name-taken': ['name'],
  'team.invite': ['code'],
  'team.locked': ['team'],
  'join.code': ['code'],
  'join.division': ['division'],
  'join.division-fixed': ['division'],
  'join.team-full': ['team'],
  'game.times': ['end'],
  'game.divisions': ['divisions'],
  'game.division-code': ['divisions'],
  'flag.template-weak': ['flagTemplate', 'defaultFlagTemplate'],
  'flag.template-long': ['flagTemplate', 'defaultFlagTemplate'],
  'writeup.format': ['file'],
  'token.game': ['game'],
  'token.platform-game': ['game'],
}

/**
 * The field of `fields` that the server refused; undefined: none of them, or no refusal at all.
 * @param names members of the body that the form calls otherwise
 */
export function refusedField<Field extends string>(
  error: unknown,
  fields: readonly Field[],
  names: Readonly<Record<string, Field>> = {},
): Field | undefined {
  if (!(error instanceof ApiError) || error.code === undefined) return undefined
  // A value that breaks a rule of the contract is named by its JSON pointer, where it stands in a section by two steps.
  const pointed = error.code === 'request.invalid' ? (error.detail ?? '').split('/').filter(Boolean).slice(0, 2) : []
  return [...(fieldsOf[error.code] ?? []), ...pointed]
    .map((name) => (Object.hasOwn(names, name) ? names[name] : name))
    .map((name) => fields.find((field) => field === name))
    .find(Boolean)
}
