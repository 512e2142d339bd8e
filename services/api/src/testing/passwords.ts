import { createPasswords } from '../people/accounts/password.ts'

/**
 * Password hashing for all tests of a process. It runs in the calling thread and does not yield the CPU. On a busy machine each
 * hash would otherwise wait for a second, and tests would time out.
 */
export const passwords = createPasswords({ isLowPriority: false })
