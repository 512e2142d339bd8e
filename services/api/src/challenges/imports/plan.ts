import type { ChallengeOf } from '@capstan/challenge-files/challenge/challenge'
import type { ImportReport } from '@capstan/contract/imports'
import type { EditedQuestion } from '@capstan/contract/questions'
import type { ArchivedFile } from '../archives/entry-stream.ts'
import type { KeysByKind } from './unique-names.ts'

/** Rows of one kind, in JSON texts with some thousand rows each. Only the database parses these texts. */
export type Batches = readonly string[]

export type PlannedFile = Readonly<{
  /** Source files. If there are several files, they are packed into one file. */
  parts: readonly ArchivedFile[]
  fileName: string
}>

export type PlannedChallenge = Readonly<{
  key: number
  acceptedCount: number
  challenge: ChallengeOf<PlannedFile>
  /** Keys of the prerequisites. */
  after: readonly number[]
}>

/** All data that an import stores. Rows refer to each other by their ids in the export. */
export type ImportPlan = Readonly<{
  report: ImportReport
  game: Readonly<{
    title: string
    summary: string
    /** Maximum number of members of a team. 0 means no limit. */
    teamSize: number
    startsAt: string
    endsAt: string
    /** Instant from which the board is frozen, or null if the board does not freeze. */
    freezeAt: string | null
    /** Maximum number of teams. Null means no limit. */
    teamLimit: number | null
    questions: readonly EditedQuestion[]
    divisions: readonly string[]
  }>
  challenges: readonly PlannedChallenge[]
  teamKeys: readonly number[]
  /** Rows by kind. A column has the name that the statements in `repository.ts` use for it. */
  users: Batches
  teams: Batches
  members: Batches
  participations: Batches
  answers: Batches
  submissions: Batches
  awards: Batches
  notices: Batches
  posts: Batches
}>

export interface PlatformAnswers {
  findUsers(emails: readonly string[]): Promise<ReadonlyMap<string, string>>
  findTakenNames(kind: 'user' | 'team', keys: KeysByKind): Promise<KeysByKind>
}
