import { operations } from '@capstan/contract/operations'
import { refusePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { chooseEncoding } from '../http/content-encoding.ts'
import { matchesEtag } from '../http/etag.ts'

const encodings = ['br', 'gzip'] as const

/** The scoreboard, sent as ready bytes. Behaviour §12, design §4. */
export const scoreboardRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.getScoreboard, async ({ params, request, reply }) => {
    const board = await app.scoreboards.read(params.id)
    if (!board) throw new Problem('game.unknown')
    const refusal = refusePhase('scoreboard', board.times, app.deps.clock.now())
    if (refusal) throw new Problem(refusal)
    reply.header('etag', board.etag).header('cache-control', 'no-cache').header('vary', 'accept-encoding')
    if (matchesEtag(request.headers['if-none-match'], board.etag)) return reply.status(304).send()
    const encoding = chooseEncoding(request.headers['accept-encoding'], encodings)
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.type('application/json; charset=utf-8').send(board.bytes[encoding])
  })
}
