import type { LanguageCode } from '@capstan/contract/languages'
import { Problem } from '@capstan/contract/problems'
import type { InstanceDeps } from '../../instances/deps.ts'
import type { Download } from '../../server/http/send-download.ts'
import { sheetStamp } from '../../server/http/timestamps.ts'
import { createMonitorService } from '../monitor/service.ts'
import { buildPresentScoreboard } from '../scoreboard/present-board.ts'
import { sheetRepository } from './repository.ts'
import { scoreboardSheet } from './scoreboard-sheet.ts'
import { submissionsSheet } from './submissions-sheet.ts'
import { writeWorkbook } from './workbook.ts'

/** Spreadsheets for organizers. Rules: docs/contract/captures-and-monitor.md#spreadsheets. */
export function createSheetService(deps: InstanceDeps) {
  const { db, clock } = deps
  const monitor = createMonitorService(deps)
  const fileName = (title: string, kind: 'Scoreboard' | 'Submissions') => `${title}_${kind}_${sheetStamp(clock.now())}.xlsx`
  return {
    /**
     * Returns the scoreboard sheet from the stored rows, without a cache.
     * @throws Problem `game.unknown`, `game.before-start`, `scoreboard.empty`
     */
    async scoreboard(gameId: number, language: LanguageCode): Promise<Download> {
      const { title } = await monitor.getStartedGame(gameId, 'sheets')
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
      return { fileName: fileName(title, 'Scoreboard'), content: writeWorkbook(sheet) }
    },
    /** @throws Problem `game.unknown`, `game.before-start` */
    async submissions(gameId: number, language: LanguageCode): Promise<Download> {
      const { title } = await monitor.getStartedGame(gameId, 'sheets')
      const sheet = submissionsSheet(monitor.eachSubmission(gameId), language)
      return { fileName: fileName(title, 'Submissions'), content: writeWorkbook(sheet) }
    },
  }
}
