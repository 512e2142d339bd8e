import { type LogEntry, logLevels as levels } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'

export const logLevels = ['All', ...levels] as const
export type LogLevel = (typeof logLevels)[number]

/** Entries of a page, and of the larger page that a search looks through: the server does not search (contract findLogs). */
export const logPageSize = 100
export const logSearchSize = PageLimits.most

/** The server compares level names exactly. */
export function isOfLevel({ level: own }: LogEntry, level: LogLevel): boolean {
  return level === 'All' || own === level
}

/** A pushed and a read copy of one entry may write the time differently. */
export function logKey({ time, name, level, ip, msg, status }: LogEntry): string {
  return [Date.parse(time), level, name, ip, status, msg].join('\n')
}

export function logTime({ time }: LogEntry): number {
  return Date.parse(time)
}

/** What a search looks through. */
export function logText({ name, ip, msg, status }: LogEntry): readonly (string | null)[] {
  return [name, ip, msg, status]
}
