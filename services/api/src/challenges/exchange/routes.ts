import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { queueCallerOf } from '../../server/fair-queue.ts'
import { streamUpload } from '../../server/files/uploads.ts'
import { disconnectSignalOf } from '../../server/http/disconnect-signal.ts'
import { sendDownload } from '../../server/http/send-download.ts'
import { exportChallenges, exportGamePackage } from './export-service.ts'
import { importChallenges, previewChallengeImport } from './import-challenges.ts'
import { importGame } from './import-game.ts'

/** Import and export of challenges and games as archives. Rules: docs/contract/challenges.md#import-and-export. */
export const exchangeRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, archives: app.archives }

  app.operation(ownOperations.previewImport, async ({ params, query, reply, request, user }) => {
    const { field, maxBytes } = ownOperations.previewImport.upload
    return streamUpload(request, field, maxBytes, (content) =>
      previewChallengeImport(deps, params.id, { content, userId: user.id, signal: disconnectSignalOf(reply) }, query),
    )
  })

  app.operation(ownOperations.importChallenges, async ({ params, query, reply, request, record, user }) => {
    const { field, maxBytes } = ownOperations.importChallenges.upload
    const { digest, take, ...repairs } = query
    const { title, imported } = await streamUpload(request, field, maxBytes, (content) =>
      importChallenges(
        deps,
        params.id,
        { content, userId: user.id, signal: disconnectSignalOf(reply) },
        { digest, take, repairs },
      ),
    )
    const count = imported.challenges.length
    record(`Imported ${count === 1 ? '1 challenge' : `${count} challenges`} into "${title}"`)
    return imported
  })

  app.operation(ownOperations.importGame, async ({ reply, request, record, user }) => {
    const { field, maxBytes } = ownOperations.importGame.upload
    const { id, title } = await streamUpload(request, field, maxBytes, (content) =>
      importGame(deps, { content, userId: user.id, signal: disconnectSignalOf(reply) }, queueCallerOf(request.ip, user.id)),
    )
    record(`Imported the game "${title}"`)
    return id
  })

  app.operation(ownOperations.exportGame, async ({ params, reply, record }) => {
    const ready = await exportGamePackage(deps, params.id)
    record(`Exported ${ready.fileName}`)
    return sendDownload(reply, ownOperations.exportGame.download, ready)
  })

  app.operation(ownOperations.exportChallenges, async ({ params, reply, record }) => {
    const ready = await exportChallenges(deps, params.id)
    record(`Exported ${ready.fileName}`)
    return sendDownload(reply, ownOperations.exportChallenges.download, ready)
  })
}
