import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { queueCallerOf } from '../../server/fair-queue.ts'
import { sendDownload } from '../../server/http/send-download.ts'
import { drawAllCertificates, drawOwnCertificate, drawTeamCertificate, previewCertificate } from './service.ts'

/** Certificates of finished games. Rules: docs/contract/games-and-joining.md#certificates. */
export const certificateRoutes: FastifyPluginAsync = async (app) => {
  const { certificates, players, scoreboards } = app
  const deps = { ...app.deps, certificates, players, scoreboards }

  app.operation(ownOperations.previewCertificate, async ({ params, query, user, request, reply }) => {
    const drawn = await previewCertificate(deps, params.id, query.ranked ?? true, queueCallerOf(request.ip, user.id))
    return sendDownload(reply, ownOperations.previewCertificate.download, drawn)
  })

  app.operation(ownOperations.downloadOwnCertificate, async ({ params, query, user, request, reply }) => {
    const drawn = await drawOwnCertificate(
      deps,
      params.id,
      { id: user.id, userName: user.userName, address: request.ip },
      query.team ?? false,
    )
    return sendDownload(reply, ownOperations.downloadOwnCertificate.download, drawn)
  })

  app.operation(ownOperations.downloadTeamCertificate, async ({ params, user, request, reply }) => {
    const drawn = await drawTeamCertificate(deps, params.id, params.teamId, queueCallerOf(request.ip, user.id))
    return sendDownload(reply, ownOperations.downloadTeamCertificate.download, drawn)
  })

  app.operation(ownOperations.downloadCertificates, async ({ params, user, request, reply }) => {
    const archive = await drawAllCertificates(deps, params.id, queueCallerOf(request.ip, user.id))
    return sendDownload(reply, ownOperations.downloadCertificates.download, archive)
  })
}
