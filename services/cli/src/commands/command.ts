/** What the command writes to, so that tests read it. */
export type Output = Readonly<{
  line: (text: string) => void
  error: (text: string) => void
}>

/** What commands that speak to a platform use of the process, so that tests give their own. */
export type Context = Output &
  Readonly<{
    environment?: Readonly<Record<string, string | undefined>>
    fetch?: typeof fetch
    /** Output may have colours. */
    hasColours?: boolean
    /** Shows what is going on, on a terminal; the next text takes its place. */
    progress?: (text: string) => void
    /** Asks somebody at the terminal; absent: nobody is there. A secret is not shown while it is typed. */
    ask?: (question: string, isSecret: boolean) => Promise<string>
    /** Everything that comes by standard input. */
    readInput?: () => Promise<string>
    /** Milliseconds since 1970: a game that is made of a file without times starts a month later. */
    now?: () => number
  }>

/**
 * Exit codes: 0 done, 1 something was refused or is wrong, 2 the command itself was used wrongly, or of `plan`: there are changes.
 */
export const exitCodes = { done: 0, refused: 1, usage: 2, changes: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export type Command = Readonly<{
  usage: string
  summary: string
  run: (args: readonly string[], context: Context) => ExitCode | Promise<ExitCode>
  /** Of wrong usage, where 2 says something else. */
  usageCode?: ExitCode
}>

/** Wrong arguments; the message says which. */
export class UsageError extends Error {}
