import { chooseFreeName, safeFileName, type TakenNames } from '@capstan/challenge-files/safe-names'
import type { LanguageCode } from '@capstan/contract/languages'
import type { EditedQuestion } from '@capstan/contract/questions'
import { serverTexts } from '@capstan/contract/server-texts'
import type { GameAnswers } from '../../games/questions/service.ts'
import type { CellValue } from './cells.ts'
import type { SheetContent } from './sheet.ts'

const separator = ' / '

/** File in the archive. A team or a member uploaded the file as the answer to a registration question. */
export type AnsweredFile = Readonly<{
  id: string
  hash: string
  /** Path in the archive: the folder of the team, and a file name that includes the name of the member. */
  path: string
}>

/** Returns the files of all registration answers. Each file gets a different path. */
export function listAnswerFiles({ respondents, answers }: GameAnswers): AnsweredFile[] {
  const teams = new Map(respondents.map(({ participationId, teamId, team }) => [participationId, `${teamId} ${team}`]))
  const members = new Map(respondents.map(({ userId, userName }) => [userId, userName]))
  const taken = new Map<number, TakenNames>()
  return answers.flatMap(({ participationId, userId, file }) => {
    if (!file) return []
    const names = taken.get(participationId) ?? new Map()
    taken.set(participationId, names)
    const name = userId === null ? file.name : `${members.get(userId) ?? ''} ${file.name}`
    const folder = safeFileName(teams.get(participationId) ?? String(participationId))
    return [{ id: file.id, hash: file.hash, path: `${folder}/${chooseFreeName(safeFileName(name), names)}` }]
  })
}

/**
 * Returns the registration answers as a spreadsheet, with one row for each member. Rules:
 * docs/contract/captures-and-monitor.md#spreadsheets.
 */
export function createAnswerSheet(given: GameAnswers, language: LanguageCode): SheetContent {
  const words = serverTexts[language].sheets
  const paths = new Map(listAnswerFiles(given).map(({ id, path }) => [id, path]))
  const answers = new Map(
    given.answers.map(({ participationId, userId, questionId, values, file }) => [
      `${participationId} ${userId} ${questionId}`,
      file ? (paths.get(file.id) ?? '') : values.join(separator),
    ]),
  )
  const cellOf = ({ id, scope }: EditedQuestion, { participationId, userId }: GameAnswers['respondents'][number]): CellValue =>
    answers.get(`${participationId} ${scope === 'Team' ? null : userId} ${id}`) ?? ''
  return {
    name: words.answers,
    header: [words.team, words.division, words.status, words.user, ...given.questions.map(({ title }) => title)],
    rows: given.respondents.map((respondent) => [
      respondent.team,
      respondent.division ?? '',
      respondent.status,
      respondent.userName ?? '',
      ...given.questions.map((question) => cellOf(question, respondent)),
    ]),
  }
}
