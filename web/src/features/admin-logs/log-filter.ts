import { type LogEntry, logLevels as levels } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'

export const logLevels = ['All', ...levels] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * Number of entries per page. The server cannot search (contract findLogs), so the browser searches the newest `logSearchSize`
 * entries.
 */
export const logPageSize = 100
export const logSearchSize = PageLimits.max

/** True if the entry has exactly this level, or if the level is `All`. The level filter of the server works in the same way. */
export function hasLogLevel({ level: own }: LogEntry, level: LogLevel): boolean {
  return level === 'All' || own === level
}

/**
 * Returns a key that identifies a log entry. The server may both push an entry and return it from a call. The two copies contain
 * the time in different formats, but have the same key.
 */
export function keyOfLogEntry({ time, name, level, ip, msg, status }: LogEntry): string {
  return [Date.parse(time), level, name, ip, status, msg].join('\n')
}

export function timeOfLogEntry({ time }: LogEntry): number {
  return Date.parse(time)
}

export function searchTextOfLogEntry({ name, ip, msg, status }: LogEntry): readonly (string | null)[] {
  return [name, ip, msg, status]
}
