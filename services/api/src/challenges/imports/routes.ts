import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { streamUpload } from '../../server/files/uploads.ts'
import { disconnectSignalOf } from '../../server/http/disconnect-signal.ts'
import { importCtfdExport } from './service.ts'

export const importRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, archives: app.archives }

  app.operation(ownOperations.importCtfd, async ({ user, query, record, reply, request }) => {
    const { field, maxBytes } = ownOperations.importCtfd.upload
    const isPreview = query.preview ?? false
    const report = await streamUpload(request, field, maxBytes, (content) =>
      importCtfdExport(deps, { content, userId: user.id, signal: disconnectSignalOf(reply) }, isPreview),
    )
    const { users, teams, solves } = report.counts
    if (report.gameId !== null)
      record(`Imported the game "${report.title}" with ${users} users, ${teams} teams and ${solves} solves`)
    return report
  })
}
