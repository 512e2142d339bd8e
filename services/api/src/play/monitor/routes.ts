import { Readable } from 'node:stream'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { getMonitoredChallenge, listMonitoredChallenges } from './challenges.ts'
import { createDeskService } from './desk.ts'
import { createGatewayClients } from './gateway-clients.ts'
import { presentSubmission } from './presenter.ts'
import {
  findCheats,
  findGameEvents,
  findSubmissions,
  getStartedGame,
  listCheats,
  listConnections,
  listGameEvents,
  listMonitoredTeams,
  listSubmissions,
  type ReadPage,
  readSubmissionPages,
  type SubmissionRow,
} from './service.ts'

/**
 * Streams a list of any length as JSON, page by page.
 * @param serialize returns the JSON list of one page
 */
async function* listJson<Page>(pages: AsyncIterable<Page>, serialize: (page: Page) => string): AsyncGenerator<string> {
  let opening = '['
  for await (const page of pages) {
    yield opening + serialize(page).slice(1, -1)
    opening = ','
  }
  yield opening === '[' ? '[]' : ']'
}

/** Events, submissions and cheats of a game, for monitors. Rules: docs/contract/scoreboard-and-events.md#events. */
export const monitorRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, scoreboards: app.scoreboards }
  const clients = createGatewayClients(app.deps)
  app.addHook('onClose', async () => clients.close())
  const desk = createDeskService({ ...deps, changes: app.changes }, clients)

  app.operation(operations.listEvents, ({ params, query, ...call }) => {
    const page = { hideContainer: query.hideContainer ?? false, count: query.count ?? PageLimits.default, skip: query.skip ?? 0 }
    return app.searchInTurn(call, () => listGameEvents(deps, params.id, page))
  })

  app.operation(operations.listSubmissions, async ({ params, query, ...call }) => {
    const { reply } = call
    const { type, count = PageLimits.default, skip = 0 } = query
    if (count !== 0) return app.searchInTurn(call, () => listSubmissions(deps, params.id, type, { count, skip }))
    await getStartedGame(deps, params.id, 'submissions')
    // Only the first page waits for its turn, because no refusal can be sent once the response has begun. A turn lasts one page.
    // Otherwise, a client that reads the whole list slowly would block the searches of other callers.
    const readPage: ReadPage = (read) => (reply.raw.headersSent ? read() : app.searchInTurn(call, read))
    const pages = readSubmissionPages(deps, params.id, { type, skip, readPage })
    const serialize = (page: readonly SubmissionRow[]) => String(reply.serialize(page.map(presentSubmission)))
    return reply.type('application/json; charset=utf-8').send(Readable.from(listJson(pages, serialize)))
  })

  app.operation(operations.listCheats, ({ params, ...call }) => app.searchInTurn(call, () => listCheats(deps, params.id)))

  const paged = <Filter extends Readonly<{ count?: number; skip?: number }>>(filter: Filter, usual: number) => ({
    ...filter,
    count: filter.count ?? usual,
    skip: filter.skip ?? 0,
  })
  app.operation(ownOperations.findSubmissions, ({ params, query, ...call }) =>
    app.searchInTurn(call, () => findSubmissions(deps, params.id, paged(query, PageLimits.default))),
  )
  app.operation(ownOperations.findEvents, ({ params, query, ...call }) =>
    app.searchInTurn(call, () => findGameEvents(deps, params.id, paged(query, PageLimits.default))),
  )
  app.operation(ownOperations.findCheats, ({ params, query, ...call }) =>
    app.searchInTurn(call, () => findCheats(deps, params.id, paged(query, PageLimits.pairs))),
  )
  const challengesDeps = { ...deps, findHealth: desk.findHealth }
  app.operation(ownOperations.listMonitoredChallenges, ({ params }) => listMonitoredChallenges(challengesDeps, params.id))
  app.operation(ownOperations.getMonitoredChallenge, ({ params }) => getMonitoredChallenge(challengesDeps, params.id, params.cid))
  app.operation(ownOperations.listMonitoredTeams, ({ params }) => listMonitoredTeams(deps, params.id))

  app.operation(ownOperations.listConnections, ({ params, query, ...call }) =>
    app.searchInTurn(call, () =>
      listConnections(deps, params.id, {
        challengeId: query.challenge,
        participationId: query.participation,
        openOnly: query.open ?? false,
        hint: query.hint,
        count: query.count ?? PageLimits.default,
        skip: query.skip ?? 0,
      }),
    ),
  )

  app.operation(ownOperations.getGameDesk, ({ params }) => desk.get(params.id))
}
