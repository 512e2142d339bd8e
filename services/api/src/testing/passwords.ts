import { createPasswords } from '../people/accounts/password.ts'

/**
 * Of all tests of a process. Nobody plays: beside tests that take all processors a thread that steps back waits a second for each
 * hash, and a test of many hashes for longer than it may.
 */
export const passwords = createPasswords({ isLowPriority: false })
