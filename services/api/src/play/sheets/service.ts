// Spreadsheets for organizers. Rules: docs/contract/captures-and-monitor.md#spreadsheets.
import type { LanguageCode } from '@capstan/contract/languages'
import { Problem } from '@capstan/contract/problems'
import type { InstanceDeps } from '../../instances/deps.ts'
import type { Download } from '../../server/http/send-download.ts'
import { sheetStamp } from '../../server/http/timestamps.ts'
import { eachSubmission, getStartedGame } from '../monitor/service.ts'
import { buildPresentScoreboard } from '../scoreboard/present-board.ts'
import { sheetRepository } from './repository.ts'
import { scoreboardSheet } from './scoreboard-sheet.ts'
import { submissionsSheet } from './submissions-sheet.ts'
import { writeWorkbook } from './workbook.ts'

function fileName({ clock }: Pick<InstanceDeps, 'clock'>, title: string, kind: 'Scoreboard' | 'Submissions') {
  return `${title}_${kind}_${sheetStamp(clock.now())}.xlsx`
}

/**
 * Returns the scoreboard sheet from the stored rows, without a cache.
 * @throws Problem `game.unknown`, `game.before-start`, `scoreboard.empty`
 */
export async function writeScoreboardSheet(deps: InstanceDeps, gameId: number, language: LanguageCode): Promise<Download> {
  const { db, clock } = deps
  const { title } = await getStartedGame(deps, gameId, 'sheets')
  const board = await buildPresentScoreboard(db, gameId, clock.now())
  if (!board) throw new Problem('game.unknown')
  if (board.items.length === 0) throw new Problem('scoreboard.empty')
  const repository = sheetRepository(db)
  const sheet = scoreboardSheet(
    board,
    await repository.hasDivisions(gameId),
    { captains: await repository.listCaptains(gameId), members: await repository.listMembers(gameId) },
    language,
  )
  return { fileName: fileName(deps, title, 'Scoreboard'), content: writeWorkbook(sheet) }
}

/** @throws Problem `game.unknown`, `game.before-start` */
export async function writeSubmissionSheet(deps: InstanceDeps, gameId: number, language: LanguageCode): Promise<Download> {
  const { title } = await getStartedGame(deps, gameId, 'sheets')
  const sheet = submissionsSheet(eachSubmission(deps, gameId), language)
  return { fileName: fileName(deps, title, 'Submissions'), content: writeWorkbook(sheet) }
}
