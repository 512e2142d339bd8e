import { ownOperations } from '@capstan/contract/operations'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { uploadedFiles } from '../files/uploads.ts'
import { createImportService } from './service.ts'

/** Games of other platforms. Rules: docs/contract/imports.md. */
export const importRoutes: FastifyPluginAsync = async (app) => {
  const imports = createImportService({ ...app.deps, scoreboards: app.scoreboards })

  app.operation(ownOperations.importCtfd, async ({ user, query, record, request }) => {
    const { field } = ownOperations.importCtfd.upload
    for await (const file of uploadedFiles(request, app.deps.config.attachmentMaxBytes, field)) {
      const report = await imports.importCtfd(file, user.id, query.preview ?? false)
      const { users, teams, solves } = report.counts
      if (report.gameId !== null)
        record(`Imported the game ${report.gameId} with ${users} users, ${teams} teams and ${solves} solves`)
      return report
    }
    throw new Problem('file.missing')
  })
}
