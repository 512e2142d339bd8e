import { Limits } from '@capstan/contract/limits'
import { type Algorithm, hash, type Options, verify } from '@node-rs/argon2'

/** Argon2id with the figures of OWASP's first recommendation that fits many log-ins at once: 19 MiB, two passes, one lane. */
const options: Options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Behaviour §3: at least 6 characters with a digit, a lower-case and an upper-case letter. */
export const isStrongPassword = (password: string): boolean =>
  [...password].length >= Limits.passwordMinLength &&
  /\p{Nd}/u.test(password) &&
  /\p{Ll}/u.test(password) &&
  /\p{Lu}/u.test(password)

/** @returns PHC string with a salt of its own */
export const hashPassword = (password: string): Promise<string> => hash(password, options)

/** A hash of nothing anybody knows, with the same figures: checking against it takes as long as against a real one. */
const standIn = hashPassword(crypto.randomUUID())

/**
 * Checks a password in the same time whether there is such an account or not.
 * @param passwordHash undefined: there is no such account; the answer is then false
 */
export const checkPassword = async (passwordHash: string | undefined, password: string): Promise<boolean> => {
  const stored = passwordHash?.startsWith('$argon2') ? passwordHash : undefined
  const matches = await verify(stored ?? (await standIn), password)
  return stored !== undefined && matches
}
