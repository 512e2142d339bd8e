import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { sendDownload } from '../../server/http/send-download.ts'
import { writeScoreboardSheet, writeSubmissionSheet } from './service.ts'

/** Scoreboard and submissions as spreadsheets, for monitors. Rules: docs/contract/captures-and-monitor.md#spreadsheets. */
export const sheetRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.downloadScoreboard, async ({ params, request, reply }) =>
    sendDownload(
      reply,
      operations.downloadScoreboard.download,
      await writeScoreboardSheet(app.deps, params.id, request.language),
    ),
  )

  app.operation(operations.downloadSubmissions, async ({ params, request, reply }) =>
    sendDownload(
      reply,
      operations.downloadSubmissions.download,
      await writeSubmissionSheet(app.deps, params.id, request.language),
    ),
  )
}
