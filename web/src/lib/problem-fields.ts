import type { ProblemCode } from '@capstan/contract/problems'
import { ApiError } from './http.ts'

/** For each error code: possible names of the form field that caused the error. */
const fieldsOf: Partial<Record<ProblemCode, readonly string[]>> = {
  'email.domain': ['email', 'newMail'],
  'email.taken': ['email', 'newMail'],
  'email.refused': ['recipient'],
  'username.taken': ['userName'],
  'username.address': ['userName'],
  'name.unreadable': ['userName', 'name', 'key'],
  'sign-in.team-taken': ['key'],
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
  'game.freeze': ['freeze'],
  'game.registration': ['registrationCloses'],
  'game.questions': ['questions'],
  'question.answered': ['questions'],
  'game.divisions': ['name'],
  'game.division-code': ['code'],
  'challenge.prerequisite': ['unlock'],
  'challenge.unlock-cycle': ['unlock'],
  'flag.template-weak': ['flagTemplate', 'defaultFlagTemplate'],
  'flag.template-long': ['flagTemplate', 'defaultFlagTemplate'],
  'writeup.format': ['file'],
  'webhook.address': ['address'],
  'webhook.authorization': ['authorization'],
  'webhook.kinds': ['kinds'],
  'webhook.template': ['template'],
  'token.game': ['game'],
  'token.platform-game': ['game'],
}

/**
 * Returns the field among `fields` that the server refused.
 * @param names map from the name in the request to the field name, if the two names differ
 * @returns undefined if the error concerns none of these fields
 */
export function findRefusedField<Field extends string>(
  error: unknown,
  fields: readonly Field[],
  names: Readonly<Record<string, Field>> = {},
): Field | undefined {
  if (!(error instanceof ApiError) || error.code === undefined) return undefined
  // If a rule of the contract is violated, the response contains a JSON pointer. The pointer to a field inside a section has two
  // steps.
  const pointed = error.code === 'request.invalid' ? (error.detail ?? '').split('/').filter(Boolean).slice(0, 2) : []
  return [...(fieldsOf[error.code] ?? []), ...pointed]
    .map((name) => (Object.hasOwn(names, name) ? names[name] : name))
    .map((name) => fields.find((field) => field === name))
    .find(Boolean)
}
