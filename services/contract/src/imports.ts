import { type Static, Type } from 'typebox'
import { ImportOutcome } from './exchange.ts'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'

/**
 * Finding of an import about a field. `converted`: the field was replaced by an equivalent. `left-out`: the field was dropped,
 * because it has no equivalent. `refused`: the field was dropped, because it would be harmful.
 */
export const CtfdImportFinding = Type.Object(
  {
    table: Type.String(),
    field: Type.String({ description: 'Empty for the whole row.' }),
    outcome: ImportOutcome,
    why: Type.String({ description: 'An English sentence.' }),
    advice: nullableString({ description: 'Advice for the organizer.' }),
    rows: Type.Array(Type.Integer({ format: 'int64' }), { description: 'Ids of the first rows.' }),
    count: Type.Integer({ format: 'int32', description: 'Number of rows with this finding.' }),
  },
  { title: 'CtfdImportFinding' },
)
export type CtfdImportFinding = Static<typeof CtfdImportFinding>

function count(description: string) {
  return Type.Integer({ format: 'int32', description })
}

export const ImportCounts = Type.Object(
  {
    users: count('New accounts.'),
    matchedUsers: count('Existing accounts with the same email address.'),
    teams: count('New teams.'),
    challenges: count('Challenges.'),
    flags: count('Flags.'),
    hints: count('Hints.'),
    files: count('Files.'),
    submissions: count('Correct and wrong submissions.'),
    solves: count('Solves.'),
    awards: count('Awards, and costs of hints.'),
    posts: count('Pages, which become posts.'),
    notices: count('Notifications, which become notices.'),
  },
  { title: 'ImportCounts' },
)
export type ImportCounts = Static<typeof ImportCounts>

/** Team whose points after the import differ from its points in the export. */
export const ImportDifference = Type.Object(
  { team: Type.String(), theirs: Type.Number(), ours: Type.Integer({ format: 'int32' }) },
  { title: 'ImportDifference' },
)
export type ImportDifference = Static<typeof ImportDifference>

export const ImportReport = Type.Object(
  {
    gameId: nullableInteger({ format: 'int32', description: 'Id of the new game; null for a preview.' }),
    title: Type.String(),
    mode: stringEnum(['users', 'teams']),
    start: Type.String({ format: 'date-time' }),
    end: Type.String({ format: 'date-time' }),
    counts: ImportCounts,
    rankedTeams: count('Teams on the board.'),
    differences: Type.Array(ImportDifference, { description: 'Empty if the boards have the same points.' }),
    differenceCount: count('Number of differences, even if the list is shortened.'),
    findings: Type.Array(CtfdImportFinding),
  },
  { title: 'ImportReport' },
)
export type ImportReport = Static<typeof ImportReport>
