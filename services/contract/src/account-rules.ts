import type { BulkUser } from './admin.ts'
import { InputLimits, Limits } from './limits.ts'
import { phonePattern } from './phone.ts'

/** PostgreSQL stores text in UTF-8 without NUL. Half a pair of UTF-16 has no UTF-8: it would come back as another character. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\u0000')

/** Length in code points, as schemas count it. */
const fits = (text: string, min: number, max: number): boolean => {
  const length = [...text].length
  return isStorable(text) && length >= min && length <= max
}

/** What a new password needs; the keys name texts. Rules: docs/contract/sessions-and-accounts.md. */
export const passwordRules = [
  {
    key: 'length',
    met: (password: string): boolean => fits(password, Limits.passwordMinLength, InputLimits.passwordMaxLength),
  },
  { key: 'lower', met: (password: string): boolean => /\p{Ll}/u.test(password) },
  { key: 'upper', met: (password: string): boolean => /\p{Lu}/u.test(password) },
  { key: 'digit', met: (password: string): boolean => /\p{Nd}/u.test(password) },
] as const

export const isStrongPassword = (password: string): boolean => passwordRules.every(({ met }) => met(password))

const hashForms = [
  // Modular crypt format: bcrypt, argon2, SHA-crypt, phpass, passlib.
  /^\$[A-Za-z0-9-]{1,20}\$[!-~]{16,}$/,
  // Django, Werkzeug: an algorithm, its parameters and the digest.
  /^(?:pbkdf2|scrypt|argon2|bcrypt|sha1|sha224|sha256|sha384|sha512|md5|crypt|unsalted)[\w:.-]{0,40}\$[!-~]{16,}$/,
  // LDAP.
  /^\{[A-Za-z0-9-]{2,20}\}[!-~]{16,}$/,
  // A bare digest in hexadecimal.
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/,
  /^(?:[0-9A-F]{32}|[0-9A-F]{40}|[0-9A-F]{64}|[0-9A-F]{128})$/,
] as const

/** True for the hash of a password as other platforms store it: as a password it would let no one in. */
export const isPasswordHash = (text: string): boolean => hashForms.some((form) => form.test(text.trim()))

/** One `@`, not first or last, and no blanks. Rules: docs/contract/http.md. */
export const hasEmailForm = (text: string): boolean => {
  const at = text.indexOf('@')
  return at > 0 && at === text.lastIndexOf('@') && at < text.length - 1 && !/\s/.test(text)
}

export const isEmail = (text: string): boolean => fits(text, 1, InputLimits.emailMaxLength) && hasEmailForm(text)

/** How a name looks, and whether it is free, only the api can say: it knows the names that are there. */
export const hasUserNameLength = (name: string): boolean =>
  fits(name, Limits.userNameMinLength, Limits.userNameMaxLength) && [...name.trim()].length >= Limits.userNameMinLength

/** A telephone number or none. */
export const isPhone = (text: string): boolean => fits(text, 0, InputLimits.phoneMaxLength) && phonePattern.test(text)

/**
 * What each value of a row of `addUsers` must be; those that a row may leave out may be empty.
 * Rules: docs/contract/admin.md#users.
 */
export const bulkUserRules: Readonly<Record<keyof BulkUser, (value: string) => boolean>> = {
  userName: hasUserNameLength,
  password: isStrongPassword,
  email: isEmail,
  phone: isPhone,
  realName: (value) => fits(value, 0, Limits.realNameMaxLength),
  stdNumber: (value) => fits(value, 0, Limits.studentNumberMaxLength),
  teamName: (value) => fits(value, 0, Limits.bulkTeamNameMaxLength),
}
