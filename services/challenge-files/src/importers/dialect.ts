import type { ChallengeFile } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import type { FileTree } from '../tree.ts'

/** Formats of other platforms that can be imported. */
export type DialectName = 'rcds' | 'ctfcli' | 'kctf' | 'kona' | 'klodd' | 'ctfd'

/** One challenge that was read. `challenge` is absent if a finding says `refused`. */
export type Imported = Readonly<{
  dialect: DialectName
  /** File that describes the challenge. The output is written into its folder. */
  file: string
  challenge?: ChallengeFile
  /** Dockerfile without the jail of the original, to be written at this path. The challenge names it. */
  dockerfile?: { readonly path: string; readonly text: string }
  /** Descriptor next to it that describes how the challenge runs, if that is a separate file. */
  deployment?: { readonly dialect: DialectName; readonly file: string }
  findings: readonly Finding[]
}>

export type ReadOne = Readonly<{
  challenge: ChallengeFile
  findings: Finding[]
  /**
   * Findings for a descriptor that only describes how a challenge runs. They apply unless another descriptor of the folder has
   * its text and flag.
   */
  alone?: readonly Finding[]
}>

export type Dialect = Readonly<{
  name: DialectName
  /** True if a file is a descriptor of this dialect, judged by its name and its first document. */
  recognizes: (file: string, value: Readonly<Record<string, unknown>>) => boolean
  /**
   * Reads one challenge, or all challenges that a descriptor lists.
   * @throws UnreadableFile
   */
  read: (tree: FileTree, file: string) => ReadOne | readonly ReadOne[]
}>
