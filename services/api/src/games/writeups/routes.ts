import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { toMissingFileProblem, uploadedFiles } from '../../server/files/uploads.ts'
import { sendArchive } from '../../server/http/archive.ts'
import { costlyDownload } from '../../server/plugins/operations.ts'
import {
  assertWriteupUploadAllowed,
  deleteWriteups,
  getWriteupArchive,
  getWriteupDeadline,
  getWriteupState,
  listWriteups,
  uploadWriteup,
} from './service.ts'

/** Upload of writeups by players and their collection by admins. Rules: docs/contract/games-and-joining.md#writeups. */
export const writeupRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, players: app.players }

  app.operation(operations.getWriteup, async ({ user, params }) => getWriteupState(deps, params.id, user.id))

  app.operation(ownOperations.getWriteupDeadline, async ({ user, params }) => getWriteupDeadline(deps, params.id, user.id))

  app.operation(operations.submitWriteup, async ({ user, params, record, request }) => {
    const { field, maxBytes } = operations.submitWriteup.upload
    const player = await assertWriteupUploadAllowed(deps, params.id, user.id)
    for await (const file of uploadedFiles(request, maxBytes, field)) {
      const title = await uploadWriteup(deps, player, user.id, file)
      record(`Submitted the writeup of team "${player.team.name}" for "${title}"`)
      return
    }
    throw toMissingFileProblem(field)
  })

  app.operation(operations.listWriteups, async ({ params }) => listWriteups(deps, params.id))

  app.operation(
    operations.downloadWriteups,
    async ({ params, reply }) => {
      const { baseName, entries } = await getWriteupArchive(deps, params.id)
      return sendArchive(reply, baseName, entries)
    },
    costlyDownload,
  )

  app.operation(operations.deleteWriteups, async ({ params, record }) => {
    record(`Deleted the writeups of "${await deleteWriteups(deps, params.id)}"`)
  })
}
