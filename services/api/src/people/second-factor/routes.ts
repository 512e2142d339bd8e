import { ownOperations } from '@capstan/contract/operations'
import { Problem } from '@capstan/contract/problems'
import { problemTitle } from '@capstan/contract/server-texts'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { anonymousName, createUserActionRecorder } from '../../server/logs/record.ts'
import { createPasswordLogins } from '../sign-in/password-logins.ts'
import { pendingLoginCookie } from './cookie.ts'
import { addPasskey, finishPasskeyLogin, readLoginFactors, removePasskey, startPasskeySetup } from './passkeys.ts'
import { createConfirmationChallenge, type PasswordLogin, proofOfLogin } from './proofs.ts'
import {
  finishLoginWithCode,
  finishTotpSetup,
  readSecondFactor,
  removeTotp,
  removeUserSecondFactor,
  renewRecoveryCodes,
  startTotpSetup,
} from './service.ts'

/** Routes of the second factor. Rules: docs/contract/sessions-and-accounts.md#second-factor. */
export const secondFactorRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, sessions: app.sessions }
  const cookie = pendingLoginCookie(deps.config)
  const logins = createPasswordLogins(app.deps)

  /** Opens the session if the second step of a login succeeds, and logs the outcome. */
  const finish = async (request: FastifyRequest, reply: FastifyReply, step: Promise<PasswordLogin>) => {
    const note = (name: string, message: string, status: 'Success' | 'Denied') =>
      createUserActionRecorder(deps.platformLog, name, request.ip)(message, { status })
    try {
      const login = await step
      cookie.clear(request, reply)
      await logins.finish(request, reply, login)
      await app.startSession(request, reply, login.user.id, proofOfLogin(login))
      note(login.user.userName, 'Logged in with a second factor', 'Success')
    } catch (error) {
      if (error instanceof Problem) note(anonymousName, `Login refused: ${problemTitle(error.code, 'en-US')}`, 'Denied')
      throw error
    }
  }

  app.operation(ownOperations.finishLogin, async ({ body, request, reply }) =>
    finish(request, reply, finishLoginWithCode(deps, cookie.read(request), { code: body.code, address: request.ip })),
  )

  app.operation(ownOperations.getLoginFactors, async ({ request }) => readLoginFactors(deps, cookie.read(request)))

  app.operation(ownOperations.finishPasskeyLogin, async ({ body, request, reply }) =>
    finish(request, reply, finishPasskeyLogin(deps, cookie.read(request), body)),
  )

  app.operation(ownOperations.getSecondFactor, async ({ user }) => readSecondFactor(deps, user))

  app.operation(ownOperations.startFactorProof, async ({ user }) => createConfirmationChallenge(deps, user))

  app.operation(ownOperations.startTotp, async ({ user, body }) => startTotpSetup(deps, user, body))

  app.operation(ownOperations.enableTotp, async ({ user, body, record }) => {
    const codes = await finishTotpSetup(deps, user, body)
    app.sessions.announceEnd(user.id)
    record('Set up an authenticator')
    return codes
  })

  app.operation(ownOperations.startPasskey, async ({ user, body }) => startPasskeySetup(deps, user, body))

  app.operation(ownOperations.addPasskey, async ({ user, body, record }) => {
    const codes = await addPasskey(deps, user, body)
    app.sessions.announceEnd(user.id)
    record(`Added the passkey "${body.name}"`)
    return codes
  })

  app.operation(ownOperations.removePasskey, async ({ user, params, body, record }) => {
    await removePasskey(deps, user, params.id, body)
    app.sessions.announceEnd(user.id)
    record('Removed a passkey')
  })

  app.operation(ownOperations.renewRecoveryCodes, async ({ user, body, record }) => {
    const codes = await renewRecoveryCodes(deps, user, body)
    record('Renewed the recovery codes')
    return codes
  })

  app.operation(ownOperations.removeSecondFactor, async ({ user, body, record }) => {
    await removeTotp(deps, user, body)
    app.sessions.announceEnd(user.id)
    record('Removed the authenticator')
  })

  app.operation(ownOperations.removeUserSecondFactor, async ({ user, params, request, record }) => {
    const userName = await removeUserSecondFactor(deps, user, params.id, request.language)
    app.sessions.announceEnd(params.id)
    record(`Removed the second factor of user "${userName}"`)
  })
}
