import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { sendDownload } from '../../server/http/send-download.ts'
import { writeGameArchive } from './service.ts'

/** Archive of a finished game. Rules: docs/contract/games-and-joining.md#archive. */
export const gameArchiveRoutes: FastifyPluginAsync = async (app) => {
  app.operation(ownOperations.downloadGameArchive, async ({ params, query, record, request: { language }, reply }) => {
    const archive = await writeGameArchive(
      { ...app.deps, scoreboards: app.scoreboards },
      {
        gameId: params.id,
        writeups: query.writeups === 'all' ? 'all' : new Set(query.writeups?.split(',').map(Number)),
        hasAttachments: query.attachments ?? false,
        language,
      },
    )
    record(`Exported ${archive.fileName}`)
    return sendDownload(reply, ownOperations.downloadGameArchive.download, archive)
  })
}
