import type { FastifyReply, FastifyRequest } from 'fastify'
import { createUserActionRecorder } from '../../server/logs/record.ts'
import type { PeopleDeps } from '../deps.ts'
import { pendingLinkCookie } from './pending-link.ts'
import { finishPendingLink } from './service.ts'

/**
 * Creates a function that finishes the pending link of a browser. Call it after a log-in with the password and the second factor,
 * before the session opens. The log-in of another user deletes the pending link.
 */
export function createLinkFinisher(deps: Pick<PeopleDeps, 'db' | 'config' | 'clock' | 'platformLog'>) {
  const cookie = pendingLinkCookie(deps.config)
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    user: Readonly<{ id: string; userName: string }>,
  ): Promise<void> => {
    const link = cookie.read(request)
    if (link === undefined) return
    cookie.clear(request, reply)
    const name = await finishPendingLink(deps, link, user.id)
    if (name === undefined) return
    createUserActionRecorder(
      deps.platformLog,
      user.userName,
      request.ip,
    )(`Linked the account with ${name}`, { status: 'Success' })
  }
}
