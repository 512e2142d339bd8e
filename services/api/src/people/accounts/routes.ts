import type { TaskResult } from '@capstan/contract/common'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Problem } from '@capstan/contract/problems'
import { problemTitle } from '@capstan/contract/server-texts'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { readUpload } from '../../server/files/uploads.ts'
import { getLocalizedMessage } from '../../server/http/language.ts'
import { getLinkOrigin } from '../../server/http/request-origin.ts'
import { anonymousName, createUserActionRecorder } from '../../server/logs/record.ts'
import { decodeMailLinkValue } from '../../server/mail/links.ts'
import { createMailService } from '../../server/mail/service.ts'
import { pendingLoginCookie } from '../second-factor/cookie.ts'
import { sealPendingLogin } from '../second-factor/pending-login.ts'
import { hasSecondFactor } from '../second-factor/service.ts'
import { createPasswordLogins } from '../sign-in/password-logins.ts'
import { pendingLinkCookie } from '../sign-in/pending-link.ts'
import { logIn, registerAccount, requestPasswordReset, resetPassword, verifyAccount } from './entry-service.ts'
import { presentProfile } from './presenter.ts'
import {
  changePassword,
  confirmEmailChange,
  getAccount,
  getOwnMailState,
  requestEmailChange,
  setUserAvatar,
  type UserRow,
  updateProfile,
} from './service.ts'

const messageOfOutcome = {
  LoggedIn: 'register.logged-in',
  AdminConfirmationRequired: 'register.admin-confirmation',
  EmailConfirmationRequired: 'register.email-confirmation',
} as const

const logWords = {
  LoggedIn: 'Registered and logged in',
  AdminConfirmationRequired: 'Registered, waiting for an admin',
  EmailConfirmationRequired: 'Registered, waiting for the confirmation of the email address',
} as const

/** Decodes the token and the address of a mailed link. An undecodable value becomes blank, which matches nothing. */
function readLink({ token, email }: { token: string; email: string }) {
  return {
    token: decodeMailLinkValue(token) ?? '',
    email: decodeMailLinkValue(email) ?? '',
  }
}

/** Routes of a user's own account. Rules: docs/contract/sessions-and-accounts.md. */
export const accountRoutes: FastifyPluginAsync = async (app) => {
  const { config, platformLog } = app.deps
  const mail = createMailService({ ...app.deps, log: app.log })
  const shared = { ...app.deps, mail, sessions: app.sessions, limiter: app.rateLimiter }
  const deps = { ...shared, log: app.log }

  const pending = pendingLoginCookie(config)
  const links = pendingLinkCookie(config)
  const logins = createPasswordLogins(app.deps)

  const contextOf = (request: FastifyRequest) => ({
    origin: getLinkOrigin(config.publicOrigin, request),
    language: request.language,
    address: request.ip,
  })
  const note = (request: FastifyRequest, name: string, message: string, status: TaskResult = 'Success') =>
    createUserActionRecorder(platformLog, name, request.ip)(message, { status })

  /** Opens a session for a user without a second factor. */
  const startSession = (request: FastifyRequest, reply: FastifyReply, { id, passwordHash }: UserRow) =>
    app.startSession(request, reply, id, { passwordHash, hasUsedFactor: false })

  app.operation(operations.register, async ({ body, request, reply }) => {
    const { user, outcome } = await registerAccount(deps, body, contextOf(request))
    if (outcome === 'LoggedIn') await startSession(request, reply, user)
    note(request, user.userName, logWords[outcome], outcome === 'LoggedIn' ? 'Success' : 'Pending')
    return { title: getLocalizedMessage(messageOfOutcome[outcome], request.language), data: outcome, status: 200 as const }
  })

  app.operation(operations.logIn, async ({ body, request, reply }) => {
    try {
      const user = await logIn(deps, body, contextOf(request))
      const login = { user, isLinkWanted: body.link === true, hasUsedFactor: false }
      if (await hasSecondFactor(deps, user.id)) {
        await logins.check(request, login)
        pending.set(request, reply, sealPendingLogin(login, config.secretKey, deps.clock.now()))
        throw new Problem('login.second-factor')
      }
      await logins.finish(request, reply, login)
      await startSession(request, reply, user)
      note(request, user.userName, 'Logged in')
    } catch (error) {
      // The entered name is not logged, because users sometimes enter a password in this field.
      if (error instanceof Problem) note(request, anonymousName, `Login refused: ${problemTitle(error.code, 'en-US')}`, 'Denied')
      throw error
    }
  })

  app.operation(
    operations.logOut,
    async ({ user, request, reply }) => {
      await app.sessions.close(user)
      app.clearSessionCookie(request, reply)
      links.clear(request, reply)
      note(request, user.userName, 'Logged out')
    },
    { allowBanned: true },
  )

  app.operation(operations.verifyAccount, async ({ body, request, reply }) => {
    const user = await verifyAccount(deps, readLink(body))
    // Do not skip a second factor: the link only proves that the user reads mails to this address.
    if (!(await hasSecondFactor(deps, user.id))) await startSession(request, reply, user)
    note(request, user.userName, 'Activated the account')
  })

  app.operation(operations.requestPasswordReset, async ({ body, request }) => {
    const user = await requestPasswordReset(deps, body.email, body.challenge, contextOf(request))
    note(request, user.userName, 'Requested a link to reset the password')
    return { title: getLocalizedMessage('recovery.sent', request.language), status: 200 as const }
  })

  app.operation(operations.resetPassword, async ({ body, request }) => {
    const link = readLink({ token: body.rToken, email: body.email })
    const user = await resetPassword(deps, link, body.password, request.ip)
    note(request, user.userName, 'Reset the password')
  })

  app.operation(operations.getOwnProfile, async ({ user }) => presentProfile(await getAccount(shared, user.id)))

  app.operation(ownOperations.getOwnSession, async ({ user }) => {
    if (user?.role === 'Banned') throw new Problem('session.banned')
    return { profile: user ? presentProfile(await getAccount(shared, user.id)) : null }
  })

  app.operation(operations.updateOwnProfile, async ({ user, body, request }) => {
    await updateProfile(shared, user, body)
    note(request, user.userName, 'Changed the profile')
  })

  app.operation(operations.changePassword, async ({ user, body, request }) => {
    await changePassword(shared, user, body.old, body.new)
    note(request, user.userName, 'Changed the password')
  })

  app.operation(operations.requestEmailChange, async ({ user, body, request, reply }) => {
    const isSent = await requestEmailChange(shared, user.id, body.newMail, contextOf(request))
    const title = getLocalizedMessage(isSent ? 'email-change.sent' : 'email-change.by-admin', request.language)
    if (!isSent) return reply.status(400).send({ title, data: false, status: 400 })
    note(request, user.userName, 'Requested a change of the email address')
    return { title, data: true, status: 200 }
  })

  app.operation(ownOperations.getOwnMailState, async ({ user }) => getOwnMailState(shared, user.id))

  app.operation(operations.confirmEmailChange, async ({ user, body, request }) => {
    await confirmEmailChange(shared, user, readLink(body), request.language)
    note(request, user.userName, 'Changed the email address')
  })

  app.operation(operations.setOwnAvatar, async ({ user, request }) => {
    const { field, maxBytes } = operations.setOwnAvatar.upload
    const { bytes } = await readUpload(request, field, maxBytes)
    const address = await setUserAvatar(shared, user.id, bytes, request.ip)
    note(request, user.userName, 'Changed the avatar')
    return address
  })
}
