import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { sendDownload } from '../../server/http/send-download.ts'
import { drawAllCertificates, drawOwnCertificate, drawTeamCertificate, previewCertificate } from './service.ts'

/** Certificates of finished games. Rules: docs/contract/games-and-joining.md#certificates. */
export const certificateRoutes: FastifyPluginAsync = async (app) => {
  const { certificates, players, scoreboards } = app
  const deps = { ...app.deps, certificates, players, scoreboards }

  app.operation(ownOperations.previewCertificate, async ({ params, query, user, reply }) => {
    const drawn = await previewCertificate(deps, params.id, query.ranked ?? true, user.id)
    return sendDownload(reply, ownOperations.previewCertificate.download, drawn)
  })

  app.operation(ownOperations.downloadOwnCertificate, async ({ params, query, user, reply }) => {
    const drawn = await drawOwnCertificate(deps, params.id, user, query.team ?? false)
    return sendDownload(reply, ownOperations.downloadOwnCertificate.download, drawn)
  })

  app.operation(ownOperations.downloadTeamCertificate, async ({ params, user, reply }) => {
    const drawn = await drawTeamCertificate(deps, params.id, params.teamId, user.id)
    return sendDownload(reply, ownOperations.downloadTeamCertificate.download, drawn)
  })

  app.operation(ownOperations.downloadCertificates, async ({ params, user, reply }) => {
    const archive = await drawAllCertificates(deps, params.id, user.id)
    return sendDownload(reply, ownOperations.downloadCertificates.download, archive)
  })
}
