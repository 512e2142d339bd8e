/** What the command writes to, so that tests read it. */
export interface Output {
  readonly line: (text: string) => void
  readonly error: (text: string) => void
}

/**
 * Exit codes: 0 done, 1 something was refused or is wrong, 2 the command itself was used wrongly.
 */
export const exitCodes = { done: 0, refused: 1, usage: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export interface Command {
  readonly usage: string
  readonly summary: string
  readonly run: (args: readonly string[], output: Output) => ExitCode
}

/** Wrong arguments; the message says which. */
export class UsageError extends Error {}
