import type { LogLevel } from '@capstan/contract/admin'
import type { TaskResult } from '@capstan/contract/common'

/** One line of the platform log. It never contains a flag, password or token. */
export type PlatformLogLine = Readonly<{
  level: LogLevel
  /** User name, `System` or `Anonymous`. */
  name: string
  address?: string | undefined
  message: string
  status?: TaskResult
}>

/** Pushes lines to `/hub/admin` at once and stores them in batches. Writing never fails or waits. */
export interface PlatformLog {
  write(line: PlatformLogLine): void
  /** Stores all waiting lines. */
  flush(): Promise<void>
  close(): Promise<void>
}
