import { Problem } from '@capstan/contract/problems'
import { type Algorithm, hash, type Options, verify } from '@node-rs/argon2'
import { createFairTurns } from './fair-turns.ts'

/** Argon2id with the figures of OWASP's first recommendation that fits many log-ins at once: 19 MiB, two passes, one lane. */
const options: Options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Each takes a processor for some 30 ms, 19 MiB, and one of the four threads of the pool that files and host names need too; so they
 * are few at a time, in the whole process. Those who wait are all answered within a minute.
 */
const inTurn = createFairTurns({ running: 2, waitingMax: 2_000, refuse: () => new Problem('server.unavailable') })

/**
 * @param caller who takes turns with others: a flood from one does not hold up the rest
 * @returns PHC string with a salt of its own
 * @throws Problem `server.unavailable` when too many wait
 */
export const hashPassword = (password: string, caller = ''): Promise<string> => inTurn(caller, () => hash(password, options))

/** A hash of nothing anybody knows, with the same figures: checking against it takes as long as against a real one. */
const standIn = hashPassword(crypto.randomUUID())

/**
 * Checks a password in the same time whether there is such an account or not.
 * @param passwordHash undefined: there is no such account; the answer is then false
 * @param caller as for `hashPassword`
 * @throws Problem `server.unavailable` when too many wait
 */
export const checkPassword = async (passwordHash: string | undefined, password: string, caller = ''): Promise<boolean> => {
  const stored = passwordHash?.startsWith('$argon2') ? passwordHash : undefined
  const expected = stored ?? (await standIn)
  const matches = await inTurn(caller, () => verify(expected, password))
  return stored !== undefined && matches
}
