import { type LogEntry, logLevels as levels } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'

export const logLevels = ['All', ...levels] as const
export type LogLevel = (typeof logLevels)[number]

/** Entries of a page, and of the larger page that a search looks through: the server does not search (contract findLogs). */
export const logPageSize = 100
export const logSearchSize = PageLimits.most

/** The server compares level names exactly. */
export const isOfLevel = ({ level: own }: LogEntry, level: LogLevel): boolean => level === 'All' || own === level

/** A pushed and a read copy of one entry may write the time differently. */
export const logKey = ({ time, name, level, ip, msg, status }: LogEntry): string =>
  [Date.parse(time), level, name, ip, status, msg].join('\n')

export const logTime = ({ time }: LogEntry): number => Date.parse(time)

/** What a search looks through. */
export const logText = ({ name, ip, msg, status }: LogEntry): readonly (string | null)[] => [name, ip, msg, status]
