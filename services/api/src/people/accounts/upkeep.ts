import type { SessionService } from '../../server/sessions/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { loginFailureRepository } from './login-failure-repository.ts'
import { accountRepository } from './repository.ts'

/**
 * Removes what no longer opens anything: sessions and mailed links that are over, failed log-ins that no longer count.
 * Nothing depends on it but the size of the tables; call it every hour, on as many replicas as there are.
 */
export async function deleteExpiredAccess(
  deps: Pick<PeopleDeps, 'db' | 'clock'> & { readonly sessions: SessionService },
): Promise<void> {
  const now = deps.clock.now()
  await deps.sessions.deleteExpired()
  await accountRepository(deps.db).deleteExpiredMailTokens(now)
  await loginFailureRepository(deps.db).deleteOld(now)
}
