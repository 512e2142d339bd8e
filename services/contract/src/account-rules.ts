import type { BulkUser } from './admin.ts'
import { InputLimits, Limits } from './limits.ts'
import { phonePattern } from './phone.ts'

/** True if PostgreSQL can store the text, which must have no NUL and no unpaired surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** True if the length of the text in code points is within the bounds. Schemas measure lengths in code points, too. */
function fits(text: string, min: number, max: number): boolean {
  const length = [...text].length
  return isStorableText(text) && length >= min && length <= max
}

/** Rules for new passwords. The web client has a text for each `key`. See docs/contract/sessions-and-accounts.md. */
export const passwordRules = [
  {
    key: 'length',
    met: (password: string): boolean => fits(password, Limits.minPasswordLength, InputLimits.maxPasswordLength),
  },
  { key: 'lower', met: (password: string): boolean => /\p{Ll}/u.test(password) },
  { key: 'upper', met: (password: string): boolean => /\p{Lu}/u.test(password) },
  { key: 'digit', met: (password: string): boolean => /\p{Nd}/u.test(password) },
] as const

export function isStrongPassword(password: string): boolean {
  return passwordRules.every(({ met }) => met(password))
}

const hashForms = [
  // Start of a hash in the modular crypt format, which bcrypt, argon2, SHA-crypt, phpass and passlib use.
  /^\$[A-Za-z0-9-]{1,20}\$[!-~]{16,}$/,
  // Format of password hashes of Django and Werkzeug: algorithm, parameters and digest.
  /^(?:pbkdf2|scrypt|argon2|bcrypt|sha1|sha224|sha256|sha384|sha512|md5|crypt|unsalted)[\w:.-]{0,40}\$[!-~]{16,}$/,
  /^\{[A-Za-z0-9-]{2,20}\}[!-~]{16,}$/,
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/,
  /^(?:[0-9A-F]{32}|[0-9A-F]{40}|[0-9A-F]{64}|[0-9A-F]{128})$/,
] as const

/**
 * True if the text has the format of a password hash. The platform refuses such a text as a password, because the sender probably
 * meant an imported hash. If the platform hashed this hash again, the user could not log in.
 */
export function isPasswordHash(text: string): boolean {
  return hashForms.some((form) => form.test(text.trim()))
}

/** True if the text has no blanks and exactly one `@`, which is neither first nor last. See docs/contract/http.md. */
export function looksLikeEmail(text: string): boolean {
  const at = text.indexOf('@')
  return at > 0 && at === text.lastIndexOf('@') && at < text.length - 1 && !/\s/.test(text)
}

export function isEmail(text: string): boolean {
  return fits(text, 1, InputLimits.maxEmailLength) && looksLikeEmail(text)
}

export function hasUserNameLength(name: string): boolean {
  return fits(name, Limits.minUserNameLength, Limits.maxUserNameLength) && [...name.trim()].length >= Limits.minUserNameLength
}

/** True for a telephone number or an empty text. */
export function isPhone(text: string): boolean {
  return fits(text, 0, InputLimits.maxPhoneLength) && phonePattern.test(text)
}

/**
 * Functions that check the fields of a user in the call `addUsers`. Optional fields may be empty. See docs/contract/admin.md#users.
 */
export const bulkUserRules: Readonly<Record<keyof BulkUser, (value: string) => boolean>> = {
  userName: hasUserNameLength,
  password: isStrongPassword,
  email: isEmail,
  phone: isPhone,
  realName: (value) => fits(value, 0, Limits.maxRealNameLength),
  stdNumber: (value) => fits(value, 0, Limits.maxStudentNumberLength),
  teamName: (value) => fits(value, 0, Limits.maxBulkTeamNameLength),
}
