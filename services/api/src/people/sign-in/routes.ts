import { ownOperations } from '@capstan/contract/operations'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { anonymousName, createUserActionRecorder } from '../../server/logs/record.ts'
import { createMailService } from '../../server/mail/service.ts'
import { createHostCookie } from '../../server/sessions/host-cookie.ts'
import { listOrganizers } from '../accounts/service.ts'
import { LinkOffered, pendingLinkCookie } from './pending-link.ts'
import { createProviderClient, describeSignInFailure } from './provider-client.ts'
import { findLogoutUrl, finishSignIn, listIdentities, startSignIn, unlinkProvider } from './service.ts'
import {
  createProvider,
  deleteProvider,
  readSignInOptions,
  readSignInSettings,
  setSignInPolicy,
  testProviderSettings,
  updateProvider,
} from './settings-service.ts'
import { linkTeam, readTeamProvider, unlinkTeam } from './team-links.ts'

const logWords = {
  LoggedIn: 'Logged in with',
  AdminConfirmationRequired: 'Waits for an admin after a sign-in with',
  EmailConfirmationRequired: 'Waits for the confirmation of the email address after a sign-in with',
  Linked: 'Linked the account with',
  Previewed: 'Tested the sign-in with',
} as const

/** Routes of the sign-in with identity providers. Rules: docs/contract/sessions-and-accounts.md#identity-providers. */
export const signInRoutes: FastifyPluginAsync = async (app) => {
  const { config, platformLog } = app.deps
  const mail = createMailService({ ...app.deps, log: app.log })
  const providers =
    app.deps.providerClient ??
    createProviderClient({
      serverSecret: config.secretKey,
      secrets: config.signInSecrets,
      outgoing: app.deps.outgoing,
      allowHttp: config.outgoing.http,
    })
  const deps = { ...app.deps, mail, providers, sessions: app.sessions, limiter: app.rateLimiter }
  const cookie = createHostCookie(config.publicOrigin, { name: 'capstan_sign_in', sameSite: 'lax' })
  const links = pendingLinkCookie(config)

  app.operation(ownOperations.getSignInOptions, async () => readSignInOptions(deps))

  app.operation(ownOperations.startSignIn, async ({ user, params, body, request, reply }) => {
    const started = await startSignIn(deps, params.key, body, user)
    cookie.set(request, reply, started.cookie)
    return { url: started.url }
  })

  app.operation(ownOperations.finishSignIn, async ({ user, params, body, request, reply }) => {
    const note = (name: string, message: string, status: 'Success' | 'Pending' | 'Denied') =>
      createUserActionRecorder(platformLog, name, request.ip)(message, { status })
    const context = { origin: config.publicOrigin ?? '', language: request.language, address: request.ip }
    const input = { key: params.key, answer: body.answer, cookie: cookie.read(request) }
    // Delete the cookie of the attempt, so that the browser can use an answer of the provider only once.
    cookie.clear(request, reply)
    try {
      const result = await finishSignIn(deps, input, user, context)
      const { answer, provider, sessionOf } = result
      if (sessionOf) await app.startSession(request, reply, sessionOf.user.id, sessionOf.proof)
      const isPending = answer.outcome === 'AdminConfirmationRequired' || answer.outcome === 'EmailConfirmationRequired'
      const name = result.user?.userName ?? user?.userName ?? anonymousName
      note(name, `${logWords[answer.outcome]} ${provider.name}`, isPending ? 'Pending' : 'Success')
      return answer
    } catch (error) {
      if (error instanceof LinkOffered) links.set(request, reply, error.link)
      if (error instanceof Problem)
        note(anonymousName, `Sign-in with ${params.key} refused: ${describeSignInFailure(error)}`, 'Denied')
      throw error
    }
  })

  app.operation(
    ownOperations.logOutOfProvider,
    async ({ user, request, reply, record }) => {
      const providerId = await app.sessions.providerOf(user)
      // End the session before calling the provider, so that the logout succeeds even if the provider does not respond.
      await app.sessions.close(user)
      app.clearSessionCookie(request, reply)
      links.clear(request, reply)
      record('Logged out')
      try {
        return { url: (await findLogoutUrl(deps, providerId)) ?? null }
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        record(`Skipped the log-out at the provider: ${describeSignInFailure(error)}`, { level: 'Warning' })
        return { url: null }
      }
    },
    { allowBanned: true },
  )

  app.operation(ownOperations.listOwnIdentities, async ({ user }) => listIdentities(deps, user.id))

  app.operation(ownOperations.deleteOwnIdentity, async ({ user, params, record }) => {
    record(`Unlinked ${await unlinkProvider(deps, user, params.key)}`)
  })

  app.operation(ownOperations.getSignInSettings, async () => readSignInSettings(deps))

  app.operation(ownOperations.setSignInPolicy, async ({ user, body, record }) => {
    await setSignInPolicy(deps, user.id, body)
    record(body.passwords ? 'Allowed logins with passwords' : 'Restricted logins with passwords to admins')
    if (!body.secondFactor) return
    for (const id of await listOrganizers(deps)) app.sessions.announceEnd(id)
    record(`Set the second factor to "${body.secondFactor}"`)
  })

  app.operation(ownOperations.createSignInProvider, async ({ body, record }) => {
    const provider = await createProvider(deps, body)
    record(`Added the identity provider ${provider.name}`)
    return provider
  })

  app.operation(ownOperations.updateSignInProvider, async ({ user, params, body, record }) => {
    const provider = await updateProvider(deps, user, params.id, body)
    record(`Changed the identity provider ${provider.name}`)
    return provider
  })

  app.operation(ownOperations.deleteSignInProvider, async ({ user, params, record }) => {
    record(`Deleted the identity provider ${await deleteProvider(deps, user, params.id)}`)
  })

  app.operation(ownOperations.getTeamProvider, ({ params }) => readTeamProvider(deps, params.id))

  app.operation(ownOperations.setTeamProvider, async ({ params, body, record }) => {
    const { team, provider, key } = await linkTeam(deps, params.id, body)
    record(`Linked team "${team}" to "${key}" of ${provider}`)
    return readTeamProvider(deps, params.id)
  })

  app.operation(ownOperations.deleteTeamProvider, async ({ params, record }) => {
    const { team, provider, key } = await unlinkTeam(deps, params.id)
    record(`Unlinked team "${team}" from "${key}" of ${provider}`)
    return readTeamProvider(deps, params.id)
  })

  app.operation(ownOperations.checkSignInProvider, async ({ params, record }) => {
    record(`Checked the identity provider ${await testProviderSettings(deps, params.id)}`)
  })
}
