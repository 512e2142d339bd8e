import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { queueCallerOf } from '../../server/fair-queue.ts'
import { readUpload } from '../../server/files/uploads.ts'
import { presentCertificate } from './presenter.ts'
import { deleteCertificatePicture, getCertificate, setCertificatePicture, updateCertificate } from './service.ts'

/** Templates of certificates. Rules: docs/contract/games-and-joining.md#certificates. */
export const certificateTemplateRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(ownOperations.getCertificate, async ({ params }) => presentCertificate(await getCertificate(deps, params.id)))

  app.operation(ownOperations.updateCertificate, async ({ params, body }) =>
    presentCertificate(await updateCertificate(deps, params.id, body)),
  )

  app.operation(ownOperations.setCertificatePicture, async ({ params, user, request }) => {
    const { field, maxBytes } = ownOperations.setCertificatePicture.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    const caller = queueCallerOf(request.ip, user.id)
    return presentCertificate(await setCertificatePicture(deps, params.id, params.picture, bytes, caller))
  })

  app.operation(ownOperations.deleteCertificatePicture, async ({ params }) =>
    presentCertificate(await deleteCertificatePicture(deps, params.id, params.picture)),
  )
}
