import type { ChallengeType } from '@capstan/contract/challenges'
import type { ChallengeFile } from '../format/challenge.ts'
import type { Finding, Outcome } from '../report.ts'
import type { FileTree } from '../tree.ts'

/** Environment variables and built images on the machine where an author applies the file. */
export type AuthorEnvironment = Readonly<{
  environment: Readonly<Record<string, string | undefined>>
  /** Returns the image of a container, or undefined if no image was built from the current sources. */
  builtImage: (container: string) => string | undefined
}>

/** Challenge that is being read, the files next to it, and the findings so far. */
export type ReadContext = Readonly<{
  tree: FileTree
  /** Path of the `capstan.yaml`. */
  file: string
  /** Folder of the `capstan.yaml`. Paths in the file are relative to this folder. */
  folder: string
  described: ChallengeFile
  type: ChallengeType
  /** Environment of the author who runs `capstan apply`. Undefined if the platform imports the file. */
  author: AuthorEnvironment | undefined
  findings: Finding[]
}>

export const nothingRuns = 'The import runs no commands, so only `capstan apply` can generate this.'

export function note({ file, findings }: ReadContext, field: string, outcome: Outcome, why: string, advice?: string): void {
  findings.push({ file, line: 1, field, outcome, why, ...(advice !== undefined && { advice }) })
}

/**
 * Reports settings that contradict each other. An import by the platform drops one of these settings. The command `capstan apply`
 * refuses the file, because its author can correct the contradiction.
 */
export function noteMistake(context: ReadContext, field: string, why: string, advice?: string): void {
  note(context, field, context.author === undefined ? 'left-out' : 'refused', why, advice)
}
