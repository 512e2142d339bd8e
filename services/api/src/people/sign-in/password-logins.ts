import { Problem } from '@capstan/contract/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createUserActionRecorder } from '../../server/logs/record.ts'
import { readSignInPolicy } from '../../server/settings/service.ts'
import type { PeopleDeps } from '../deps.ts'
import type { PasswordLogin } from '../second-factor/proofs.ts'
import { pendingLinkCookie } from './pending-link.ts'
import { describeSignInFailure } from './provider-client.ts'
import { findPendingLink, finishPendingLink } from './service.ts'

/**
 * Creates functions for a login after the right password. Admins may log in even if passwords are restricted to admins, in case
 * all providers fail. Other users may then do so only to link a provider.
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
     * Finishes the pending link of the browser if the login wants it, and deletes its cookie. Call it before the session opens. A
     * link that fails does not refuse a login that is allowed without the link.
     * @throws Problem `login.provider-required`
     */
    async finish(request: FastifyRequest, reply: FastifyReply, login: PasswordLogin): Promise<void> {
      const { id: userId, userName } = login.user
      const note = createUserActionRecorder(deps.platformLog, userName, request.ip)
      cookie.clear(request, reply)
      try {
        const to = { userId, language: request.language }
        const name = await finishPendingLink(deps, readLink(request, login), to)
        if (name !== undefined) return note(`Linked the account with ${name}`, { status: 'Success' })
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        note(`Linked no identity provider: ${describeSignInFailure(error)}`, { status: 'Failed' })
      }
      if (!(await mayUsePassword(login))) throw new Problem('login.provider-required')
    },
  }
}
