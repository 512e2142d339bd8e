// Links between accounts and identity providers. The features for accounts and users call this file, so this file must not call
// these features.
import type { Executor } from '@capstan/db/client'
import { createSignInRepository } from './repository.ts'

/** Deletes the links of a user to all identity providers. */
export function deleteIdentities(executor: Executor, userId: string): Promise<void> {
  return createSignInRepository(executor).unlinkAll(userId)
}
