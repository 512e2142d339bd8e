import type { SessionUser } from '../sessions/session-user.ts'
import type { PlatformLog, PlatformLogLine } from './platform-log.ts'

/** Name in the log lines about actions of the platform itself. Users cannot choose it. */
export const systemName = 'System'

/** Name in the log lines about callers without a session. Users cannot choose it. */
export const anonymousName = 'Anonymous'

/** Logs an action of one user. @param message description of the action without the user's name */
export type Recorder = (message: string, outcome?: Partial<Pick<PlatformLogLine, 'level' | 'status'>>) => void

/**
 * Creates a recorder for the actions of one user.
 * @param name user name or `anonymousName`
 * @param address client address of the user
 */
export function createUserActionRecorder(log: Pick<PlatformLog, 'write'>, name: string, address: string): Recorder {
  return (message, { level = 'Information', status = 'Success' } = {}) => log.write({ level, name, address, message, status })
}

export function logLineSuffixForToken(user: Pick<SessionUser, 'token'> | undefined): string {
  return user?.token ? ` (API token ${user.token.name})` : ''
}

export function createCallActionRecorder(
  log: Pick<PlatformLog, 'write'>,
  user: Pick<SessionUser, 'userName' | 'token'> | undefined,
  address: string,
): Recorder {
  const record = createUserActionRecorder(log, user?.userName ?? anonymousName, address)
  return (message, outcome) => record(`${message}${logLineSuffixForToken(user)}`, outcome)
}

/** Logs an action or observation of the platform itself. */
export function recordSystemAction(log: Pick<PlatformLog, 'write'>, line: Omit<PlatformLogLine, 'name'>): void {
  log.write({ ...line, name: systemName })
}
