import { createPasswords } from '../people/accounts/password.ts'

/**
 * Password hashing for all tests of a process. It does not yield the CPU to other threads: on a busy machine, each hash would
 * wait for a second and tests would time out.
 */
export const passwords = createPasswords({ isLowPriority: false })
