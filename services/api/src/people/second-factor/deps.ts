import type { SessionService } from '../../server/sessions/service.ts'
import type { PeopleDeps } from '../deps.ts'

export type SecondFactorDeps = Pick<PeopleDeps, 'db' | 'clock' | 'config' | 'passwords'>

/** Dependencies of calls that set up a factor. */
export type FactorSetupDeps = SecondFactorDeps & Readonly<{ sessions: SessionService }>
