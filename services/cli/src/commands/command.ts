/** What the command writes to, so that tests read it. */
export interface Output {
  readonly line: (text: string) => void
  readonly error: (text: string) => void
}

/** What commands that speak to a platform use of the process, so that tests give their own. */
export interface Context extends Output {
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly fetch?: typeof fetch
  /** Output may have colours. */
  readonly hasColours?: boolean
  /** Shows what is going on, on a terminal; the next text takes its place. */
  readonly progress?: (text: string) => void
  /** Asks somebody at the terminal; absent: nobody is there. A secret is not shown while it is typed. */
  readonly ask?: (question: string, isSecret: boolean) => Promise<string>
  /** Everything that comes by standard input. */
  readonly readInput?: () => Promise<string>
  /** Milliseconds since 1970: a game that is made of a file without times starts a month later. */
  readonly now?: () => number
}

/**
 * Exit codes: 0 done, 1 something was refused or is wrong, 2 the command itself was used wrongly, or of `plan`: there are changes.
 */
export const exitCodes = { done: 0, refused: 1, usage: 2, changes: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export interface Command {
  readonly usage: string
  readonly summary: string
  readonly run: (args: readonly string[], context: Context) => ExitCode | Promise<ExitCode>
  /** Of wrong usage, where 2 says something else. */
  readonly usageCode?: ExitCode
}

/** Wrong arguments; the message says which. */
export class UsageError extends Error {}
