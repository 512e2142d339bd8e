import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fastifyPlugin from 'fastify-plugin'
import { createFairQueue, queueCallerOf } from '../fair-queue.ts'
import { disconnectSignalOf } from '../http/disconnect-signal.ts'
import type { SessionUser } from '../sessions/session-user.ts'

/** API call that performs a search, and the user who makes the call. */
type SearchContext = Readonly<{
  request: FastifyRequest
  reply: FastifyReply
  user: SessionUser
}>

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Runs a search that reads a large part of a table. Callers take turns. If the client disconnects while the search waits, the
     * search is dropped.
     * @throws Problem `request.rate-limited` if too many searches wait, or if this search has waited too long
     */
    searchInTurn<Result>(context: SearchContext, search: () => Promise<Result>): Promise<Result>
  }
}

/**
 * Limits the concurrent searches of organizers, so that most database connections remain free for other calls. A search uses up to
 * four connections.
 */
export const searchesPlugin = fastifyPlugin(
  async (app) => {
    const inTurn = createFairQueue({
      running: Math.max(1, Math.min(Limits.concurrentSearches, Math.floor(app.deps.config.databaseConnections / 8))),
      maxWaiting: Limits.maxWaitingSearches,
      maxWaitMs: Limits.maxSearchWaitSeconds * 1000,
      refuse: () => new Problem('request.rate-limited', { retryAfterSeconds: Limits.maxSearchWaitSeconds }),
    })
    app.decorate('searchInTurn', <Result>({ request, reply, user }: SearchContext, search: () => Promise<Result>) => {
      const disconnect = disconnectSignalOf(reply)
      return inTurn(queueCallerOf(request.ip, user.id), () => {
        disconnect.throwIfAborted()
        return search()
      })
    })
  },
  { name: 'searches', dependencies: ['client-address'] },
)
