import type { LanguageCode } from '@capstan/contract/languages'
import { type SheetWord, serverTexts } from '@capstan/contract/server-texts'
import { formatUtcTime } from '../../rules/utc-time.ts'
import type { SubmissionRow } from '../monitor/service.ts'
import type { CellValue } from './cells.ts'
import type { SheetContent } from './sheet.ts'

const columns: readonly SheetWord[] = ['status', 'time', 'team', 'user', 'challenge', 'answer', 'email']

function rowOf(submission: SubmissionRow): CellValue[] {
  return [
    submission.status,
    formatUtcTime(submission.submittedAt),
    submission.teamName,
    submission.userName ?? '',
    submission.challengeTitle,
    submission.answer,
    submission.email ?? '',
  ]
}

async function* rowsOf(submissions: AsyncIterable<readonly SubmissionRow[]>): AsyncGenerator<CellValue[]> {
  for await (const page of submissions) yield* page.map(rowOf)
}

/** Returns all submissions as a spreadsheet, newest first. Rules: docs/contract/captures-and-monitor.md#spreadsheets. */
export function createSubmissionSheet(
  submissions: AsyncIterable<readonly SubmissionRow[]>,
  language: LanguageCode,
): SheetContent {
  const words = serverTexts[language].sheets
  return {
    name: words.submissions,
    header: columns.map((column) => words[column]),
    rows: rowsOf(submissions),
  }
}
