import type { SessionService } from '../../server/sessions/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { createLoginFailureRepository } from './login-failure-repository.ts'
import { createAccountRepository } from './repository.ts'

/**
 * Deletes expired sessions, expired mailed links and old login failures. Expired rows have no effect, so this only limits
 * the table sizes. Every replica calls this function every hour.
 */
export async function deleteExpiredSessionsAndLinks(
  deps: Pick<PeopleDeps, 'db' | 'clock'> & { readonly sessions: SessionService },
): Promise<void> {
  const now = deps.clock.now()
  await deps.sessions.deleteExpired()
  await createAccountRepository(deps.db).deleteExpiredMailTokens(now)
  await createLoginFailureRepository(deps.db).deleteOld(now)
}
