import { availableParallelism } from 'node:os'
import { Problem } from '@capstan/contract/problems'
import type { Algorithm, Options } from '@node-rs/argon2'
import { createFairQueue, platformCaller, type QueueCaller } from '../../server/fair-queue.ts'
import { isForeignHash, parseForeignHash } from './foreign-hash.ts'
import { createHashThreads, type HashThreadsOptions, planHashThreads } from './hash-threads.ts'

/** Argon2id parameters that OWASP recommends for many concurrent logins: 19 MiB, two passes, one lane. */
const recommended: Options = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Maximum wait for a hash, in ms, slightly below the timeout of browsers and proxies. One thread can hash about a thousand
 * passwords in 40 s.
 */
const maxWaitMs = 55_000
const maxWaiting = 2_000
const retryAfterSeconds = 30

/** Hash of a random value that is not stored. Checking against it takes as long as checking a real hash. */
export const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$i5Jx0AlB7igyyWaS/ny3qw$VAjr3gOylZP785AvAODeJ4je6DtmoRtXrLcXR2ZniXs'

export type PasswordOptions = Pick<HashThreadsOptions, 'isLowPriority'> &
  Readonly<{
    /** Parameters of new hashes. Only tests replace the recommended parameters. */
    parameters?: Options
  }>

/** Hashes and checks passwords in dedicated threads. Call this function only once per process. */
export function createPasswords({ isLowPriority, parameters = recommended }: PasswordOptions = {}) {
  const { threads, pausesAfterHash } = planHashThreads(availableParallelism())
  const hashThreads = createHashThreads({ pausesAfterHash, isLowPriority })
  const inTurn = createFairQueue({
    running: threads,
    maxWaiting,
    maxWaitMs,
    refuse: () => new Problem('server.unavailable', { retryAfterSeconds }),
  })

  const verify = async (passwordHash: string | undefined, password: string): Promise<boolean> => {
    const foreign = passwordHash === undefined ? undefined : parseForeignHash(passwordHash)
    if (foreign) return hashThreads.verifyForeign(foreign, password)
    const stored = passwordHash?.startsWith('$argon2') ? passwordHash : undefined
    const matches = await hashThreads.verify(stored ?? dummyHash, password)
    return stored !== undefined && matches
  }

  return {
    /**
     * Hashes a password.
     * @param caller callers take turns, so many tasks of one caller do not delay the other callers
     * @returns a PHC string with a random salt
     * @throws Problem `server.unavailable` if too many tasks wait or a task waits too long
     */
    hash: (password: string, caller = platformCaller): Promise<string> =>
      inTurn(caller, () => hashThreads.hash(password, parameters)),

    /**
     * Checks a password. The duration does not reveal whether the account exists. The account is looked up only when the check
     * starts. Therefore a thousand concurrent logins do not send a thousand concurrent statements.
     * @param find returns undefined if the account does not exist. In this case no password matches.
     * @param caller as for `hash`
     * @returns the account. If the password matched an imported hash, `renewed` is a new native hash.
     * @throws Problem `server.unavailable` if too many tasks wait or a task waits too long
     * @throws errors of `find`
     */
    checkAccount: <Account extends { readonly passwordHash: string }>(
      find: () => Promise<Account | undefined>,
      password: string,
      caller: QueueCaller,
    ): Promise<{ account: Account | undefined; matches: boolean; renewed?: string }> =>
      inTurn(caller, async () => {
        const account = await find()
        const matches = await verify(account?.passwordHash, password)
        if (!account || !matches || !isForeignHash(account.passwordHash)) return { account, matches }
        return { account, matches, renewed: await hashThreads.hash(password, parameters) }
      }),

    check: (passwordHash: string | undefined, password: string, caller = platformCaller): Promise<boolean> =>
      inTurn(caller, () => verify(passwordHash, password)),
  }
}

export type Passwords = ReturnType<typeof createPasswords>
