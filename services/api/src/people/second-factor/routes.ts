import { ownOperations } from '@capstan/contract/operations'
import { Problem } from '@capstan/contract/problems'
import { problemTitle } from '@capstan/contract/server-texts'
import type { FastifyPluginAsync } from 'fastify'
import { createRecorder } from '../../server/logs/record.ts'
import { pendingLoginCookie } from './cookie.ts'
import {
  enableTotp,
  finishLogin,
  readSecondFactor,
  removeSecondFactor,
  removeUserSecondFactor,
  renewRecoveryCodes,
  startTotp,
} from './service.ts'

/** Routes of the second factor. Rules: docs/contract/sessions-and-accounts.md#second-factor. */
export const secondFactorRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app
  const cookie = pendingLoginCookie(deps.config)

  app.operation(ownOperations.finishLogin, async ({ body, request, reply }) => {
    const note = (name: string, message: string, status: 'Success' | 'Denied') =>
      createRecorder(deps.platformLog, name, request.ip)(message, { status })
    try {
      const user = await finishLogin(deps, cookie.read(request), body.code)
      cookie.clear(request, reply)
      await app.startSession(request, reply, user.id)
      note(user.userName, 'Logged in with a second factor', 'Success')
    } catch (error) {
      if (error instanceof Problem) note('Anonymous', `Login refused: ${problemTitle(error.code, 'en-US')}`, 'Denied')
      throw error
    }
  })

  app.operation(ownOperations.getSecondFactor, async ({ user }) => readSecondFactor(deps, user.id))

  app.operation(ownOperations.startTotp, async ({ user, body }) => startTotp(deps, user, body.password))

  app.operation(ownOperations.enableTotp, async ({ user, body, record }) => {
    const codes = await enableTotp(deps, user, body)
    record('Set up a second factor')
    return codes
  })

  app.operation(ownOperations.renewRecoveryCodes, async ({ user, body, record }) => {
    const codes = await renewRecoveryCodes(deps, user.id, body.password)
    record('Renewed the recovery codes')
    return codes
  })

  app.operation(ownOperations.removeSecondFactor, async ({ user, body, record }) => {
    await removeSecondFactor(deps, user.id, body.password)
    record('Removed the second factor')
  })

  app.operation(ownOperations.removeUserSecondFactor, async ({ params, request, record }) => {
    const userName = await removeUserSecondFactor(deps, params.id, request.language)
    record(`Removed the second factor of user "${userName}"`)
  })
}
