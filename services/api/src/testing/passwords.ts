import { createPasswords } from '../people/accounts/password.ts'

/** Password hashing for tests, with normal priority. With low priority, tests on a busy machine would time out. */
export const passwords = createPasswords({ isLowPriority: false })
