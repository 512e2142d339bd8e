import type { LogEntry } from '@capstan/contract/admin'
import type { LogRow } from './repository.ts'

export function presentLog(row: Omit<LogRow, 'id'>): LogEntry {
  return {
    time: row.time.toISOString(),
    name: row.name,
    level: row.level,
    ip: row.address,
    msg: row.message,
    status: row.status,
  }
}
