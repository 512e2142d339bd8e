import type { ChallengeCategory, FlagKind } from '@capstan/contract/challenges'
import type { ImportReport } from '@capstan/contract/imports'
import type { ArchivedFile } from '../archives/entry-stream.ts'
import type { KeysByKind } from './unique-names.ts'

/** Rows of one kind as they are stored, in JSON texts of some thousand rows each: nobody but the database reads them again. */
export type Batches = readonly string[]

export type PlannedFile = Readonly<{
  /** Several become one archive. */
  parts: readonly ArchivedFile[]
  fileName: string
}>

export type PlannedChallenge = Readonly<{
  /** There. */
  key: number
  title: string
  content: string
  category: ChallengeCategory
  hints: readonly string[]
  tags: readonly string[]
  isEnabled: boolean
  originalScore: number
  acceptedCount: number
  flags: readonly { readonly flag: string; readonly kind: FlagKind }[]
  file: PlannedFile | undefined
}>

/** Everything that an import stores. Keys are the ids there; the rows refer to each other by them. */
export type ImportPlan = Readonly<{
  report: ImportReport
  game: {
    readonly title: string
    readonly summary: string
    /** Members of a team who may join; 0 = any number. */
    readonly teamSize: number
    readonly startsAt: string
    readonly endsAt: string
    readonly divisions: readonly string[]
  }
  challenges: readonly PlannedChallenge[]
  teamKeys: readonly number[]
  /** As the columns of the statements of `repository.ts` are called. */
  users: Batches
  teams: Batches
  members: Batches
  participations: Batches
  submissions: Batches
  awards: Batches
  notices: Batches
  posts: Batches
}>

/** What the conversion has to know of the platform. */
export interface PlatformAnswers {
  /** Accounts by their addresses in lower case. */
  findUsers(emails: readonly string[]): Promise<ReadonlyMap<string, string>>
  findTakenNames(kind: 'user' | 'team', keys: KeysByKind): Promise<KeysByKind>
}
