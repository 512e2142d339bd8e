import type { LanguageCode } from '@capstan/contract/languages'
import { serverTexts } from '@capstan/contract/server-texts'
import type { AnswerRow } from '../survey/service.ts'
import type { SheetContent } from './sheet.ts'

/** Returns the answers of a survey as a spreadsheet. Only a survey with names has a column for users. */
export function createSurveySheet(answers: readonly AnswerRow[], language: LanguageCode): SheetContent {
  const words = serverTexts[language].sheets
  const isNamed = answers.some(({ author }) => author !== null)
  return {
    name: words.survey,
    header: [words.challenge, words.rating, words.comment, ...(isNamed ? [words.user] : [])],
    rows: answers.map(({ title, rating, text, author }) => [title ?? '', rating ?? '', text, ...(isNamed ? [author ?? ''] : [])]),
  }
}
