import type { ChallengeOf } from '@capstan/challenge-files/challenge/challenge'
import type { ImportReport } from '@capstan/contract/imports'
import type { ArchivedFile } from '../archives/entry-stream.ts'
import type { KeysByKind } from './unique-names.ts'

/** Rows of one kind as JSON texts with some thousand rows each. Only the database parses them. */
export type Batches = readonly string[]

export type PlannedFile = Readonly<{
  /** Source files; several are packed into one archive. */
  parts: readonly ArchivedFile[]
  fileName: string
}>

export type PlannedChallenge = Readonly<{
  key: number
  acceptedCount: number
  challenge: ChallengeOf<PlannedFile>
}>

/** Everything that an import stores. Rows refer to each other by the ids of the export. */
export type ImportPlan = Readonly<{
  report: ImportReport
  game: {
    readonly title: string
    readonly summary: string
    /** Maximum number of members of a team; 0 for no limit. */
    readonly teamSize: number
    readonly startsAt: string
    readonly endsAt: string
    readonly divisions: readonly string[]
  }
  challenges: readonly PlannedChallenge[]
  teamKeys: readonly number[]
  /** Rows by kind; the columns have the names in the statements of `repository.ts`. */
  users: Batches
  teams: Batches
  members: Batches
  participations: Batches
  submissions: Batches
  awards: Batches
  notices: Batches
  posts: Batches
}>

export interface PlatformAnswers {
  findUsers(emails: readonly string[]): Promise<ReadonlyMap<string, string>>
  findTakenNames(kind: 'user' | 'team', keys: KeysByKind): Promise<KeysByKind>
}
