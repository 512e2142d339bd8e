export type Output = Readonly<{
  line: (text: string) => void
  error: (text: string) => void
}>

/** Output, environment and process functions that commands use. Tests replace them. */
export type Context = Output &
  Readonly<{
    environment?: Readonly<Record<string, string | undefined>>
    fetch?: typeof fetch
    /** True if the output may be colored. */
    hasColours?: boolean
    /** Shows the current step on a terminal. The next text replaces it. */
    progress?: (text: string) => void
    /** Asks the user at the terminal. A secret answer is not shown while it is typed. Absent if there is no terminal. */
    ask?: (question: string, isSecret: boolean) => Promise<string>
    readInput?: () => Promise<string>
    /** Returns the current time in ms since 1970. By default, a new game starts 30 days after this time. */
    now?: () => number
  }>

/** Exit codes. 0: done. 1: refused or invalid. 2: wrong usage, or for `plan`: there are changes. */
export const exitCodes = { done: 0, refused: 1, usage: 2, changes: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export type Command = Readonly<{
  usage: string
  summary: string
  run: (args: readonly string[], context: Context) => ExitCode | Promise<ExitCode>
  /** Exit code for wrong usage, if exit code 2 has another meaning in this command. */
  usageCode?: ExitCode
}>

/** Error for wrong arguments. The message names the wrong arguments. */
export class UsageError extends Error {}
