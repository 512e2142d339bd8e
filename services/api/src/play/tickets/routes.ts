import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { createCannedAnswer, deleteCannedAnswer, listCannedAnswers, updateCannedAnswer } from './canned-service.ts'
import { answerTicket, changeTicket, countUnreadTickets, findTickets, getTicket, markTicketRead, mergeTicket } from './service.ts'
import {
  closeTeamTicket,
  countUnreadTeamTickets,
  getTeamTicket,
  listTeamTickets,
  markTeamTicketRead,
  openTicket,
  replyToTicket,
} from './team-service.ts'

type TicketCall = Readonly<{
  user: { readonly id: string }
  params: Readonly<{ id: number; tid: string }>
}>

function named({ user, params }: TicketCall) {
  return { gameId: params.id, ticketId: params.tid, userId: user.id }
}

/** Questions of teams to the organizers. Rules: docs/contract/tickets.md. */
export const ticketRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app
  const teamDeps = { ...deps, players: app.players, scoreboards: app.scoreboards }

  app.operation(ownOperations.listTeamTickets, ({ user, params }) => listTeamTickets(teamDeps, params.id, user.id))
  app.operation(ownOperations.countUnreadTeamTickets, ({ user, params }) => countUnreadTeamTickets(teamDeps, params.id, user.id))
  // Messages are private, so the platform log does not contain them.
  app.operation(ownOperations.openTicket, async ({ user, params, body, request, record }) => {
    const ticket = await openTicket(teamDeps, params.id, { id: user.id, language: request.language }, body)
    record(`Opened the ticket ${ticket.id}`)
    return ticket
  })
  app.operation(ownOperations.getTeamTicket, (call) => getTeamTicket(teamDeps, named(call)))
  app.operation(ownOperations.replyToTicket, (call) => replyToTicket(teamDeps, named(call), call.body.text))
  app.operation(ownOperations.closeTeamTicket, (call) => closeTeamTicket(teamDeps, named(call), call.body.isClosed))
  app.operation(ownOperations.readTeamTicket, (call) => markTeamTicketRead(teamDeps, named(call)))

  app.operation(ownOperations.findTickets, ({ params, query, ...call }) =>
    app.searchInTurn(call, () =>
      findTickets(deps, params.id, call.user.id, {
        ...{ ...query, view: query.view ?? 'open', count: query.count ?? PageLimits.default, skip: query.skip ?? 0 },
      }),
    ),
  )
  app.operation(ownOperations.countUnreadTickets, ({ user, params }) => countUnreadTickets(deps, params.id, user.id))
  app.operation(ownOperations.getTicket, (call) => getTicket(deps, named(call)))
  app.operation(ownOperations.answerTicket, async (call) => {
    const { game, ticket } = await answerTicket(deps, named(call), call.body)
    call.record(`Answered a ticket of team "${ticket.team}" in "${game}"`)
    return ticket
  })
  app.operation(ownOperations.changeTicket, async (call) => {
    const { game, ticket } = await changeTicket(deps, named(call), call.body)
    call.record(`Changed a ticket of team "${ticket.team}" in "${game}"`)
    return ticket
  })
  app.operation(ownOperations.readTicket, (call) => markTicketRead(deps, named(call)))
  app.operation(ownOperations.mergeTicket, async (call) => {
    const { game, ticket } = await mergeTicket(deps, named(call), call.body.into)
    call.record(`Merged two tickets of team "${ticket.team}" in "${game}"`)
    return ticket
  })

  app.operation(ownOperations.listCannedAnswers, () => listCannedAnswers(deps))
  app.operation(ownOperations.createCannedAnswer, async ({ body, record }) => {
    const answer = await createCannedAnswer(deps, body)
    record(`Added the canned answer "${answer.title}"`)
    return answer
  })
  app.operation(ownOperations.updateCannedAnswer, async ({ params, body, record }) => {
    const answer = await updateCannedAnswer(deps, params.id, body)
    record(`Changed the canned answer "${answer.title}"`)
    return answer
  })
  app.operation(ownOperations.deleteCannedAnswer, async ({ params, record }) => {
    record(`Deleted the canned answer "${await deleteCannedAnswer(deps, params.id)}"`)
  })
}
