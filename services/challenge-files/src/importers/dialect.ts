import type { ChallengeFile } from '../format/challenge.ts'
import type { Finding } from '../report.ts'
import type { FileTree, WrittenFile } from '../tree.ts'

/** Formats of other platforms that can be imported. */
export type DialectName = 'rcds' | 'ctfcli' | 'kctf' | 'kona' | 'klodd' | 'ctfd' | 'compose' | 'other'

/** Result of the import of one challenge. `challenge` is absent if a finding has the outcome `refused`. */
export type Imported = Readonly<{
  dialect: DialectName
  /** Path of the descriptor. The challenge is written into the folder of the descriptor. */
  file: string
  challenge?: ChallengeFile
  /** Additional Dockerfiles that the converted challenge uses, such as a Dockerfile without the original jail. */
  dockerfiles?: readonly WrittenFile[]
  /** Second descriptor of the folder, which describes how the challenge runs. */
  deployment?: Readonly<{ dialect: DialectName; file: string }>
  findings: readonly Finding[]
}>

export type ReadOne = Readonly<{
  challenge: ChallengeFile
  /** Additional Dockerfiles of the challenge. */
  dockerfiles?: readonly WrittenFile[]
  findings: Finding[]
  /**
   * Findings of a descriptor that only describes how a challenge runs. The findings are dropped if another descriptor of the
   * folder contains the text and the flag.
   */
  alone?: readonly Finding[]
  /**
   * Findings about files near the descriptor. The import guessed the containers from these files. The findings are dropped if
   * another descriptor of the folder describes the containers.
   */
  nearby?: Readonly<{
    findings: readonly Finding[]
    /** Returns the protocol of a port according to the text of the challenge. */
    speaks: (port: number) => 'http' | 'tcp'
  }>
}>

export type Dialect = Readonly<{
  name: DialectName
  /** True if a file is a descriptor of this dialect, according to its name and its first document. */
  recognizes: (file: string, value: Readonly<Record<string, unknown>>) => boolean
  /**
   * Reads one challenge, or all challenges that a descriptor lists.
   * @throws UnreadableFile
   */
  read: (tree: FileTree, file: string) => ReadOne | readonly ReadOne[]
}>
