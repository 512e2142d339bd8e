import { Limits } from '@capstan/contract/limits'

/** The rules of a new password: four must be met, the symbol is advice (Spec §5, contract `NewPassword`). */
export const passwordRules = [
  { key: 'length', needed: true, met: (password: string) => [...password].length >= Limits.passwordMinLength },
  { key: 'lower', needed: true, met: (password: string) => /\p{Ll}/u.test(password) },
  { key: 'upper', needed: true, met: (password: string) => /\p{Lu}/u.test(password) },
  { key: 'digit', needed: true, met: (password: string) => /\d/.test(password) },
  { key: 'symbol', needed: false, met: (password: string) => /[^\p{L}\p{N}\s]/u.test(password) },
] as const

export const isAcceptablePassword = (password: string): boolean =>
  passwordRules.every((rule) => !rule.needed || rule.met(password))
