import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { pathOfUnsubscribePage } from '../../server/mail/links.ts'
import { createGameMailRepository } from './repository.ts'
import { countRecipients, sendGameMail, unsubscribeFromGameMail } from './service.ts'

/** Mails to the participants of a game. Rules: docs/contract/games-and-joining.md#mails. */
export const gameMailRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, limiter: app.rateLimiter }
  const choices = createGameMailRepository(app.deps.db)

  app.operation(ownOperations.countGameMailRecipients, async ({ params, query }) => ({
    recipients: await countRecipients(deps, params.id, query),
  }))

  app.operation(ownOperations.sendGameMail, async ({ params, body, request, record }) => {
    const { recipients, title } = await sendGameMail(deps, params.id, body, request.language)
    record(`Queued mails to ${recipients} participants of "${title}"`)
    return { recipients }
  })

  // Mail clients without one-click unsubscribe open the address by GET. A GET changes nothing, because mail scanners open the
  // address, too.
  app.get(ownOperations.unsubscribe.path, async (request, reply) => {
    const { token } = request.query as { readonly token?: unknown }
    return reply.redirect(pathOfUnsubscribePage(typeof token === 'string' ? token : ''))
  })

  app.operation(ownOperations.unsubscribe, async ({ query }) => unsubscribeFromGameMail(deps, query.token))

  app.operation(ownOperations.getGameMailChoice, async ({ user }) => ({ hasGameMail: await choices.hasGameMail(user.id) }))

  app.operation(ownOperations.setGameMailChoice, async ({ user, body, record }) => {
    await choices.setGameMail(user.id, body.hasGameMail)
    record(body.hasGameMail ? 'Switched mails of games on' : 'Switched mails of games off')
  })
}
