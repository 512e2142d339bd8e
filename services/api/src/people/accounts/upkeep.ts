import type { SessionService } from '../../server/sessions/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { createLoginFailureRepository } from './login-failure-repository.ts'
import { createAccountRepository } from './repository.ts'

/**
 * Time for which expired links are stored, in ms. An expired link shows that several people requested the activation of an account,
 * so that the next link does not activate the credentials of a stranger.
 */
const expiredLinksMs = 7 * 24 * 3600_000

/** Deletes expired sessions, old mailed links and old login failures. Every replica calls this function every hour. */
export async function deleteExpiredSessionsAndLinks(
  deps: Pick<PeopleDeps, 'db' | 'clock'> & { readonly sessions: SessionService },
): Promise<void> {
  const now = deps.clock.now()
  await deps.sessions.deleteExpired()
  await createAccountRepository(deps.db).deleteMailTokensExpiredBefore(new Date(now.getTime() - expiredLinksMs))
  await createLoginFailureRepository(deps.db).deleteOld(now)
}
