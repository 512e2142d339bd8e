import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { streamUpload } from '../files/uploads.ts'
import { safePathPart } from '../http/archive.ts'
import { attachmentDisposition } from '../http/content-disposition.ts'
import { createExportService, type Export } from './export-service.ts'
import { createImportService } from './import-service.ts'

const send = (reply: FastifyReply, { fileName, content }: Export): FastifyReply =>
  reply
    .headers({
      'content-disposition': attachmentDisposition(safePathPart(fileName)),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .type(ownOperations.exportGame.download)
    .send(content)

/** Challenges and games in and out by archives. Rules: docs/contract/challenges.md#import-and-export. */
export const exchangeRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, scoreboards: app.scoreboards }
  const imports = createImportService(deps)
  const exports = createExportService(deps)

  app.operation(ownOperations.previewImport, async ({ params, request }) => {
    const { field, maxBytes } = ownOperations.previewImport.upload
    return streamUpload(request, field, maxBytes, (content) => imports.preview(params.id, content))
  })

  app.operation(ownOperations.importChallenges, async ({ params, query, request, record }) => {
    const { field, maxBytes } = ownOperations.importChallenges.upload
    const choice = { digest: query.digest, take: query.take }
    const made = await streamUpload(request, field, maxBytes, (content) => imports.importChallenges(params.id, content, choice))
    record(`Imported ${made.challenges.length} challenges into the game ${params.id}`)
    return made
  })

  app.operation(ownOperations.importGame, async ({ request, record }) => {
    const { field, maxBytes } = ownOperations.importGame.upload
    const { id, title } = await streamUpload(request, field, maxBytes, (content) => imports.importGame(content))
    record(`Imported the game “${title}”`)
    return id
  })

  app.operation(ownOperations.exportGame, async ({ params, reply, record }) => {
    const ready = await exports.exportPackage(params.id)
    record(`Exported the game ${params.id}`)
    return send(reply, ready)
  })

  app.operation(ownOperations.exportChallenges, async ({ params, reply, record }) => {
    const ready = await exports.exportChallenges(params.id)
    record(`Exported the challenges of the game ${params.id}`)
    return send(reply, ready)
  })
}
