import type { Algorithm } from '@node-rs/argon2'
import { createPasswords } from '../people/accounts/password.ts'

/**
 * Password hashing for tests, with the smallest parameters and normal priority. With low priority, tests on a busy machine would
 * time out.
 */
export const passwords = createPasswords({
  isLowPriority: false,
  parameters: { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 8, timeCost: 1, parallelism: 1 },
})
