import { operations } from '@capstan/contract/operations'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { safePathPart } from '../http/archive.ts'
import { attachmentDisposition } from '../http/content-disposition.ts'
import { createSheetService, type SheetFile } from './service.ts'

const send = (reply: FastifyReply, { fileName, bytes }: SheetFile): FastifyReply =>
  reply
    .headers({
      'content-disposition': attachmentDisposition(safePathPart(fileName)),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .type(operations.downloadScoreboard.download)
    .send(bytes)

/** Scoreboard and submissions as spreadsheets, for monitors. Rules: docs/contract/captures-and-monitor.md#spreadsheets. */
export const sheetRoutes: FastifyPluginAsync = async (app) => {
  const sheets = createSheetService({ ...app.deps, scoreboards: app.scoreboards })

  app.operation(operations.downloadScoreboard, async ({ params, request, reply }) =>
    send(reply, await sheets.scoreboard(params.id, request.language)),
  )

  app.operation(operations.downloadSubmissions, async ({ params, request, reply }) =>
    send(reply, await sheets.submissions(params.id, request.language)),
  )
}
