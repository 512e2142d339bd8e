import { type LogEntry, logLevels as levels } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'

export const logLevels = ['All', ...levels] as const
export type LogLevel = (typeof logLevels)[number]

/** Page sizes: entries per page, and entries that a search covers. The server does not search (contract findLogs). */
export const logPageSize = 100
export const logSearchSize = PageLimits.max

/** True for the exact level name, as on the server. */
export function isOfLevel({ level: own }: LogEntry, level: LogLevel): boolean {
  return level === 'All' || own === level
}

/** Returns the identity of an entry. A pushed and a read copy may format the time differently. */
export function logKey({ time, name, level, ip, msg, status }: LogEntry): string {
  return [Date.parse(time), level, name, ip, status, msg].join('\n')
}

export function logTime({ time }: LogEntry): number {
  return Date.parse(time)
}

export function logText({ name, ip, msg, status }: LogEntry): readonly (string | null)[] {
  return [name, ip, msg, status]
}
