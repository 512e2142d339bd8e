import type { ChallengeFile } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import type { FileTree } from '../tree.ts'

/** Formats of other platforms that are read. */
export type DialectName = 'rcds' | 'ctfcli' | 'kctf' | 'kona' | 'klodd' | 'ctfd'

/** One challenge that was read; without `challenge` where a finding says `refused`. */
export type Imported = Readonly<{
  dialect: DialectName
  /** The file that describes it; what is written goes into its folder. */
  file: string
  challenge?: ChallengeFile
  /** What a jailed image is built from without its jail, to be written at this path; the challenge names it. */
  dockerfile?: { readonly path: string; readonly text: string }
  /** The descriptor beside it that says how it is run, where that is another one. */
  deployment?: { readonly dialect: DialectName; readonly file: string }
  findings: readonly Finding[]
}>

/** A challenge of a descriptor, before it is judged. */
export type ReadOne = Readonly<{
  challenge: ChallengeFile
  findings: Finding[]
  /**
   * Given where the descriptor says how a challenge is run, and neither its text nor its flag: what is to be said of that, unless
   * another descriptor of the folder has them.
   */
  alone?: readonly Finding[]
}>

export type Dialect = Readonly<{
  name: DialectName
  /** Whether a file is a descriptor of this dialect, judged by its name and its first document. */
  recognizes: (file: string, value: Readonly<Record<string, unknown>>) => boolean
  /** One challenge, or the several that a descriptor lists. @throws UnreadableFile */
  read: (tree: FileTree, file: string) => ReadOne | readonly ReadOne[]
}>
