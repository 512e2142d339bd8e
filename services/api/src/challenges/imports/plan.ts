import type { ChallengeCategory, FlagKind } from '@capstan/contract/challenges'
import type { ImportReport } from '@capstan/contract/imports'
import type { ArchivedFile } from '../archives/entry-stream.ts'
import type { KeysByKind } from './unique-names.ts'

/** Rows of one kind as they are stored, in JSON texts of some thousand rows each: nobody but the database reads them again. */
export type Batches = readonly string[]

export interface PlannedFile {
  /** Several become one archive. */
  readonly parts: readonly ArchivedFile[]
  readonly fileName: string
}

export interface PlannedChallenge {
  /** There. */
  readonly key: number
  readonly title: string
  readonly content: string
  readonly category: ChallengeCategory
  readonly hints: readonly string[]
  readonly tags: readonly string[]
  readonly isEnabled: boolean
  readonly originalScore: number
  readonly acceptedCount: number
  readonly flags: readonly { readonly flag: string; readonly kind: FlagKind }[]
  readonly file: PlannedFile | undefined
}

/** Everything that an import stores. Keys are the ids there; the rows refer to each other by them. */
export interface ImportPlan {
  readonly report: ImportReport
  readonly game: {
    readonly title: string
    readonly summary: string
    /** Members of a team who may join; 0 = any number. */
    readonly teamSize: number
    readonly startsAt: string
    readonly endsAt: string
    readonly divisions: readonly string[]
  }
  readonly challenges: readonly PlannedChallenge[]
  readonly teamKeys: readonly number[]
  /** As the columns of the statements of `repository.ts` are called. */
  readonly users: Batches
  readonly teams: Batches
  readonly members: Batches
  readonly participations: Batches
  readonly submissions: Batches
  readonly awards: Batches
  readonly notices: Batches
  readonly posts: Batches
}

/** What the conversion has to know of the platform. */
export interface PlatformAnswers {
  /** Accounts by their addresses in lower case. */
  findUsers(emails: readonly string[]): Promise<ReadonlyMap<string, string>>
  findTakenNames(kind: 'user' | 'team', keys: KeysByKind): Promise<KeysByKind>
}
