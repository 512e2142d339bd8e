import type { PlatformLog, PlatformLogLine } from './platform-log.ts'

/** Writes a line about what one person did. @param message without the name */
export type Recorder = (message: string, outcome?: Partial<Pick<PlatformLogLine, 'level' | 'status'>>) => void

/** @param name user name or `Anonymous`; @param address where that person is */
export const createRecorder =
  (log: Pick<PlatformLog, 'write'>, name: string, address: string): Recorder =>
  (message, { level = 'Information', status = 'Success' } = {}) =>
    log.write({ level, name, address, message, status })

/** Writes a line about what the platform itself did or noticed. */
export const recordSystem = (log: Pick<PlatformLog, 'write'>, line: Omit<PlatformLogLine, 'name'>): void =>
  log.write({ ...line, name: 'System' })
