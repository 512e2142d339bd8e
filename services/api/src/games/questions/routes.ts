import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { toMissingFileProblem, uploadedFiles } from '../../server/files/uploads.ts'
import { sendDownload } from '../../server/http/send-download.ts'
import { getRegistrationForm, getTeamAnswers, openAnswerFile, setAnswers, uploadAnswerFile } from './service.ts'

/** Questions of the registration for a game. Rules: docs/contract/games-and-joining.md#questions. */
export const questionRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(ownOperations.getRegistrationForm, async ({ user, params }) => getRegistrationForm(deps, params.id, user.id))

  app.operation(ownOperations.setAnswers, async ({ user, params, body, record }) => {
    const { form, game } = await setAnswers(deps, params.id, user.id, body.answers)
    // Answers are personal data, so the log does not contain them.
    record(`Answered the questions of "${game}"`)
    return form
  })

  app.operation(ownOperations.uploadAnswerFile, async ({ user, params, request }) => {
    const { field, maxBytes } = ownOperations.uploadAnswerFile.upload
    // Wait for the upload inside the loop. Without `await`, the loop would end and discard the rest of the body.
    for await (const file of uploadedFiles(request, maxBytes, field)) {
      return await uploadAnswerFile(deps, params.id, user.id, file)
    }
    throw toMissingFileProblem(field)
  })

  app.operation(ownOperations.downloadAnswerFile, async ({ user, params, reply }) =>
    sendDownload(reply, ownOperations.downloadAnswerFile.download, await openAnswerFile(deps, params.id, params.fid, user)),
  )

  app.operation(ownOperations.getTeamAnswers, async ({ params }) => getTeamAnswers(deps, params.id, params.pid))
}
