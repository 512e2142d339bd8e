import type { LogLevel } from '@capstan/contract/admin'
import type { TaskResult } from '@capstan/contract/common'

/** One line of the admins' log. Never holds a flag, password or token. */
export interface PlatformLogLine {
  readonly level: LogLevel
  /** User name, `System` or `Anonymous`. */
  readonly name: string
  readonly address?: string | undefined
  readonly message: string
  readonly status?: TaskResult
}

/** Pushed to `/hub/admin` at once, stored in batches. Writing never fails or waits. */
export interface PlatformLog {
  write(line: PlatformLogLine): void
  /** Stores what is waiting. */
  flush(): Promise<void>
  close(): Promise<void>
}
