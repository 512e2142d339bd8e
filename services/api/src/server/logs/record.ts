import type { SessionUser } from '../sessions/session-user.ts'
import type { PlatformLog, PlatformLogLine } from './platform-log.ts'

/** Writes a line about what one person did. @param message without the name */
export type Recorder = (message: string, outcome?: Partial<Pick<PlatformLogLine, 'level' | 'status'>>) => void

/** @param name user name or `Anonymous`; @param address where that person is */
export function createRecorder(log: Pick<PlatformLog, 'write'>, name: string, address: string): Recorder {
  return (message, { level = 'Information', status = 'Success' } = {}) => log.write({ level, name, address, message, status })
}

/** What a line about somebody's call ends with: the API token that it was made with, if any. */
export function byToken(user: Pick<SessionUser, 'token'> | undefined): string {
  return user?.token ? ` (API token ${user.token.name})` : ''
}

export function createCallRecorder(
  log: Pick<PlatformLog, 'write'>,
  user: Pick<SessionUser, 'userName' | 'token'> | undefined,
  address: string,
): Recorder {
  const record = createRecorder(log, user?.userName ?? 'Anonymous', address)
  return (message, outcome) => record(`${message}${byToken(user)}`, outcome)
}

/** Writes a line about what the platform itself did or noticed. */
export function recordSystem(log: Pick<PlatformLog, 'write'>, line: Omit<PlatformLogLine, 'name'>): void {
  log.write({ ...line, name: 'System' })
}
