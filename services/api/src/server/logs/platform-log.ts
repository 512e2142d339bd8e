import type { LogLevel } from '@capstan/contract/admin'
import type { TaskResult } from '@capstan/contract/common'

/** Line of the platform log. It never contains a flag, password or token. */
export type PlatformLogLine = Readonly<{
  level: LogLevel
  /** User name, `System` or `Anonymous`. */
  name: string
  address?: string | undefined
  message: string
  status?: TaskResult
}>

export interface PlatformLog {
  write(line: PlatformLogLine): void
  flush(): Promise<void>
  close(): Promise<void>
}
