import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentSession } from './presenter.ts'

/** Routes of the user's own sessions. Rules: docs/contract/sessions-and-accounts.md#sessions. */
export const sessionRoutes: FastifyPluginAsync = async (app) => {
  const { sessions } = app

  app.operation(ownOperations.listOwnSessions, async ({ user }) =>
    (await sessions.list(user)).map((row) => presentSession(row, user)),
  )

  app.operation(ownOperations.endOwnSession, async ({ user, params, request, reply, record }) => {
    if (await sessions.end(user, params.id)) app.clearSessionCookie(request, reply)
    record('Ended an own session')
  })

  app.operation(ownOperations.endOtherSessions, async ({ user, record }) => {
    await sessions.endAll(app.deps.db, user.id, { except: user })
    sessions.announceEnd(user.id)
    record('Ended all other own sessions')
  })
}
