import { availableParallelism } from 'node:os'
import { Problem } from '@capstan/contract/problems'
import type { Algorithm, Options } from '@node-rs/argon2'
import { createFairTurns } from './fair-turns.ts'
import { isForeign, readStored } from './foreign-hash.ts'
import { createHashThreads, type HashThreadsOptions, planHashThreads } from './hash-threads.ts'

/** Argon2id with the figures of OWASP's first recommendation that fits many log-ins at once: 19 MiB, two passes, one lane. */
const options: Options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A thousand log-ins of one moment are some 40 s of one thread. Longer than this browsers and proxies do not wait. */
const maxWaitMs = 55_000
const waitingMax = 2_000
const retryAfterSeconds = 30

/** Of 32 random bytes that nobody kept, with the same figures: checking against it takes as long as against a real one. */
export const standIn = '$argon2id$v=19$m=19456,t=2,p=1$i5Jx0AlB7igyyWaS/ny3qw$VAjr3gOylZP785AvAODeJ4je6DtmoRtXrLcXR2ZniXs'

/** Hashes and checks passwords in threads of their own. One for a process: a hash takes a processor for some 30 ms and 19 MiB. */
export function createPasswords({ stepsBack }: Pick<HashThreadsOptions, 'stepsBack'> = {}) {
  const { threads, restsBetween } = planHashThreads(availableParallelism())
  const hashThreads = createHashThreads({ restsBetween, stepsBack })
  const inTurn = createFairTurns({
    running: threads,
    waitingMax,
    maxWaitMs,
    refuse: () => new Problem('server.unavailable', { retryAfterSeconds }),
  })

  const verify = async (passwordHash: string | undefined, password: string): Promise<boolean> => {
    const foreign = passwordHash === undefined ? undefined : readStored(passwordHash)
    if (foreign) return hashThreads.verifyForeign(foreign, password)
    const stored = passwordHash?.startsWith('$argon2') ? passwordHash : undefined
    const matches = await hashThreads.verify(stored ?? standIn, password)
    return stored !== undefined && matches
  }

  return {
    /**
     * @param caller who takes turns with others: a flood from one does not hold up the rest
     * @returns PHC string with a salt of its own
     * @throws Problem `server.unavailable` when too many wait, or for too long
     */
    hash: (password: string, caller = ''): Promise<string> => inTurn(caller, () => hashThreads.hash(password, options)),

    /**
     * Checks a password in the same time whether there is such an account or not. The account is looked up when its turn comes: a
     * thousand log-ins of one moment are not a thousand statements of one moment, which players' calls would stand behind.
     * @param find undefined: there is no such account; the password then does not match
     * @param caller as for `hash`
     * @returns `renewed`: a hash of ours for a password that was right by one of another platform, made in the same turn
     * @throws Problem `server.unavailable` when too many wait, or for too long; what `find` throws
     */
    checkOf: <Account extends { readonly passwordHash: string }>(
      find: () => Promise<Account | undefined>,
      password: string,
      caller: string,
    ): Promise<{ account: Account | undefined; matches: boolean; renewed?: string }> =>
      inTurn(caller, async () => {
        const account = await find()
        const matches = await verify(account?.passwordHash, password)
        if (!account || !matches || !isForeign(account.passwordHash)) return { account, matches }
        return { account, matches, renewed: await hashThreads.hash(password, options) }
      }),

    /** The same for an account that is known. */
    check: (passwordHash: string | undefined, password: string, caller = ''): Promise<boolean> =>
      inTurn(caller, () => verify(passwordHash, password)),
  }
}

export type Passwords = ReturnType<typeof createPasswords>
