import { Readable } from 'node:stream'
import { ownOperations } from '@capstan/contract/operations'
import { refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { getGame, timesOfGame } from '../../games/editing/service.ts'
import { matchesEtag, weakEtagOf } from '../../server/http/etag.ts'
import { joinTextsIntoChunks } from '../../server/http/text-chunks.ts'
import { createChainReader, firstLineOfChain } from './chain-lines.ts'
import { findChainEnd } from './service.ts'

function* withFirst(line: string, lines: Iterable<string>): Generator<string> {
  yield line
  yield* lines
}

/** Public chain of the records of a game. Rules: docs/verifying.md. */
export const publicChainRoutes: FastifyPluginAsync = async (app) => {
  const chains = createChainReader(app.deps)
  app.operation(ownOperations.downloadChain, async ({ params: { id: gameId }, query, request, reply }) => {
    const game = await getGame(app.deps, gameId)
    const refusal = refuseOutsidePhase('scoreboard', timesOfGame(game), app.deps.clock.now())
    if (refusal) throw new Problem(refusal)
    const { after = 0 } = query
    const last = await findChainEnd(app.deps, gameId)
    const etag = weakEtagOf(`${gameId} ${after} ${last}`)
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.status(304).send()
    const lines = await chains.read(game, { after, last })
    const content = after === 0 ? withFirst(firstLineOfChain(game), lines) : lines
    return reply.type(ownOperations.downloadChain.download).send(Readable.from(joinTextsIntoChunks(content)))
  })
}
