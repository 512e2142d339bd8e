import { operations } from '@capstan/contract/operations'
import { refusePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { sendReady } from '../http/ready-answer.ts'

/** The scoreboard, sent as ready bytes. Rules: docs/contract/scoreboard-and-events.md#ranking. */
export const scoreboardRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.getScoreboard, async ({ params, request, reply }) => {
    const board = await app.scoreboards.read(params.id)
    if (!board) throw new Problem('game.unknown')
    const refusal = refusePhase('scoreboard', board.times, app.deps.clock.now())
    if (refusal) throw new Problem(refusal)
    return sendReady(request, reply, board.answer, 'no-cache')
  })
}
