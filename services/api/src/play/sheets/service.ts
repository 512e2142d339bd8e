// Spreadsheets for organizers. Rules: docs/contract/captures-and-monitor.md#spreadsheets.
import type { LanguageCode } from '@capstan/contract/languages'
import { Problem } from '@capstan/contract/problems'
import { writeZip } from '../../challenges/archives/zip-writer.ts'
import { listGameAnswers } from '../../games/questions/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { openFile } from '../../server/files/service.ts'
import type { Download } from '../../server/http/send-download.ts'
import { formatSheetTimestamp } from '../../server/http/timestamps.ts'
import { getStartedGame, readSubmissionPages } from '../monitor/service.ts'
import { readFullScoreboard } from '../scoreboard/board-rows.ts'
import type { ScoreboardService } from '../scoreboard/service.ts'
import { listSurveyAnswers } from '../survey/service.ts'
import { createAnswerSheet, listAnswerFiles } from './answers-sheet.ts'
import { writeCsv } from './csv.ts'
import { createSheetRepository } from './repository.ts'
import { createScoreboardSheet } from './scoreboard-sheet.ts'
import type { SheetContent } from './sheet.ts'
import { createSubmissionSheet } from './submissions-sheet.ts'
import { createSurveySheet } from './survey-sheet.ts'
import { writeWorkbook } from './workbook.ts'

const writers = { xlsx: writeWorkbook, csv: writeCsv } as const

export type SheetRequest = Readonly<{
  gameId: number
  format: keyof typeof writers
  language: LanguageCode
}>

async function downloadOf(
  { clock }: Pick<InstanceDeps, 'clock'>,
  { format }: SheetRequest,
  name: string,
  content: SheetContent,
): Promise<Download> {
  return { fileName: `${name}_${formatSheetTimestamp(clock.now())}.${format}`, content: await writers[format](content) }
}

/**
 * Returns the scoreboard sheet. It includes every committed change.
 * @param hasEmails true if the caller may see the members' email addresses
 * @throws Problem `game.unknown`, `game.before-start`, `scoreboard.empty`
 */
export async function writeScoreboardSheet(
  deps: InstanceDeps & Readonly<{ scoreboards: ScoreboardService }>,
  request: SheetRequest,
  hasEmails: boolean,
): Promise<Download> {
  const { db, scoreboards } = deps
  const { gameId, language } = request
  const { title } = await getStartedGame(deps, gameId, 'sheets')
  const built = await scoreboards.readCurrent(gameId)
  if (!built) throw new Problem('game.unknown')
  if (built.live.teamCount === 0) throw new Problem('scoreboard.empty')
  const board = await readFullScoreboard(built.live)
  const repository = createSheetRepository(db)
  const people = { captains: await repository.listCaptains(gameId), members: await repository.listMembers(gameId) }
  const options = { hasDivisions: await repository.hasDivisions(gameId), hasEmails }
  return downloadOf(deps, request, `${title}_Scoreboard`, createScoreboardSheet(board, people, options, language))
}

/** @throws Problem `game.unknown` */
export async function writeAnswerSheet(deps: InstanceDeps, request: SheetRequest): Promise<Download> {
  const given = await listGameAnswers(deps, request.gameId)
  return downloadOf(deps, request, `${given.title}_Answers`, createAnswerSheet(given, request.language))
}

/** @throws Problem `game.unknown` */
export async function writeSurveySheet(deps: InstanceDeps, request: SheetRequest): Promise<Download> {
  const { game, answers } = await listSurveyAnswers(deps, request.gameId)
  return downloadOf(deps, request, `${game}_Survey`, createSurveySheet(answers, request.language))
}

/** Returns the archive with the files of all registration answers. @throws Problem `game.unknown` */
export async function writeAnswerFiles(deps: InstanceDeps, gameId: number): Promise<Download> {
  const given = await listGameAnswers(deps, gameId)
  const files = listAnswerFiles(given).map(({ path, hash }) => ({ path, open: () => openFile(deps, hash) }))
  return { fileName: `${given.title}_Answers_${formatSheetTimestamp(deps.clock.now())}.zip`, content: await writeZip(files) }
}

/** @throws Problem `game.unknown`, `game.before-start` */
export async function writeSubmissionSheet(deps: InstanceDeps, request: SheetRequest): Promise<Download> {
  const { gameId, language } = request
  const { title } = await getStartedGame(deps, gameId, 'sheets')
  return downloadOf(deps, request, `${title}_Submissions`, createSubmissionSheet(readSubmissionPages(deps, gameId), language))
}
