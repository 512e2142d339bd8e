import type { LogLevel } from '@capstan/contract/admin'
import type { TaskResult } from '@capstan/contract/common'

/** One line of the admins' log. Never holds a flag, password or token. */
export type PlatformLogLine = Readonly<{
  level: LogLevel
  /** User name, `System` or `Anonymous`. */
  name: string
  address?: string | undefined
  message: string
  status?: TaskResult
}>

/** Pushed to `/hub/admin` at once, stored in batches. Writing never fails or waits. */
export interface PlatformLog {
  write(line: PlatformLogLine): void
  /** Stores what is waiting. */
  flush(): Promise<void>
  close(): Promise<void>
}
