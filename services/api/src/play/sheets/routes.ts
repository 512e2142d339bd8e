import type { Operation } from '@capstan/contract/operation'
import { operations, ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import type { FastifyPluginAsync } from 'fastify'
import { sendDownload } from '../../server/http/send-download.ts'
import { costlyDownload } from '../../server/plugins/operations.ts'
import {
  type SheetRequest,
  writeAnswerFiles,
  writeAnswerSheet,
  writeScoreboardSheet,
  writeSubmissionSheet,
  writeSurveySheet,
} from './service.ts'

const scoreboardSheets = [
  [operations.downloadScoreboard, 'xlsx'],
  [ownOperations.downloadScoreboardCsv, 'csv'],
] as const satisfies readonly (readonly [Operation, SheetRequest['format']])[]

const submissionSheets = [
  [operations.downloadSubmissions, 'xlsx'],
  [ownOperations.downloadSubmissionsCsv, 'csv'],
] as const satisfies readonly (readonly [Operation, SheetRequest['format']])[]

const answerSheets = [
  [ownOperations.downloadAnswers, 'xlsx'],
  [ownOperations.downloadAnswersCsv, 'csv'],
] as const satisfies readonly (readonly [Operation, SheetRequest['format']])[]

const surveySheets = [
  [ownOperations.downloadSurvey, 'xlsx'],
  [ownOperations.downloadSurveyCsv, 'csv'],
] as const satisfies readonly (readonly [Operation, SheetRequest['format']])[]

/**
 * Serves the scoreboard, submissions, registration answers and surveys as spreadsheets, for monitors. Rules:
 * docs/contract/captures-and-monitor.md#spreadsheets.
 */
export const sheetRoutes: FastifyPluginAsync = async (app) => {
  const boardDeps = { ...app.deps, scoreboards: app.scoreboards }
  for (const [operation, format] of scoreboardSheets)
    app.operation(
      operation,
      async ({ params, user, request: { language }, reply }) => {
        const sheet = await writeScoreboardSheet(boardDeps, { gameId: params.id, format, language }, hasRole(user.role, 'Admin'))
        return sendDownload(reply, operation.download, sheet)
      },
      costlyDownload,
    )

  for (const [operation, format] of submissionSheets)
    app.operation(
      operation,
      async ({ params, request: { language }, reply }) => {
        const sheet = await writeSubmissionSheet(app.deps, { gameId: params.id, format, language })
        return sendDownload(reply, operation.download, sheet)
      },
      costlyDownload,
    )

  for (const [operation, format] of answerSheets)
    app.operation(operation, async ({ params, request: { language }, reply }) => {
      const sheet = await writeAnswerSheet(app.deps, { gameId: params.id, format, language })
      return sendDownload(reply, operation.download, sheet)
    })

  for (const [operation, format] of surveySheets)
    app.operation(operation, async ({ params, request: { language }, reply }) => {
      const sheet = await writeSurveySheet(app.deps, { gameId: params.id, format, language })
      return sendDownload(reply, operation.download, sheet)
    })

  app.operation(ownOperations.downloadAnswerFiles, async ({ params, reply }) =>
    sendDownload(reply, ownOperations.downloadAnswerFiles.download, await writeAnswerFiles(app.deps, params.id)),
  )
}
