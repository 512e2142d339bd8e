import { Problem } from '@capstan/contract/problems'
import type { Executor } from '@capstan/db/client'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createUserActionRecorder } from '../../server/logs/record.ts'
import { requireProof } from '../../server/sessions/proof.ts'
import { readSignInPolicy } from '../../server/settings/service.ts'
import type { PeopleDeps } from '../deps.ts'
import { type PasswordLogin, proofOfLogin } from '../second-factor/proofs.ts'
import { pendingLinkCookie } from './pending-link.ts'
import { describeSignInFailure } from './provider-client.ts'
import { findPendingLink, finishPendingLink } from './service.ts'

/**
 * Creates the functions that check and finish a login after the right password. Admins may always log in with a password, in case
 * all providers fail. If passwords are restricted to admins, other users may log in with a password only to link a provider.
 */
export function createPasswordLogins(deps: PeopleDeps) {
  const cookie = pendingLinkCookie(deps.config)
  const mayUsePassword = async ({ user }: PasswordLogin) => user.role === 'Admin' || (await readSignInPolicy(deps)).passwords
  const readLink = (request: FastifyRequest, { isLinkWanted }: PasswordLogin) => (isLinkWanted ? cookie.read(request) : undefined)

  return {
    /** Checks a login that still waits for its second factor. @throws Problem `login.provider-required` */
    async check(request: FastifyRequest, login: PasswordLogin): Promise<void> {
      if (await mayUsePassword(login)) return
      if (!(await findPendingLink(deps, readLink(request, login), login.user.id))) throw new Problem('login.provider-required')
    },
    /**
     * Links the provider of the browser's pending link, if the user chose this at the login. Always deletes the cookie of the
     * pending link. Call this before the session opens. If the link fails, a user who may log in without a link is still logged
     * in.
     * @throws Problem `login.provider-required`
     */
    async finish(request: FastifyRequest, reply: FastifyReply, login: PasswordLogin): Promise<void> {
      const { id: userId, userName } = login.user
      const note = createUserActionRecorder(deps.platformLog, userName, request.ip)
      cookie.clear(request, reply)
      try {
        const to = { userId, language: request.language }
        const checkLogin = (transaction: Executor) => requireProof(transaction, userId, proofOfLogin(login))
        const name = await finishPendingLink(deps, readLink(request, login), to, checkLogin)
        if (name !== undefined) return note(`Linked the account with ${name}`, { status: 'Success' })
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        note(`Linked no identity provider: ${describeSignInFailure(error)}`, { status: 'Failed' })
      }
      if (!(await mayUsePassword(login))) throw new Problem('login.provider-required')
    },
  }
}
