import { boardVersionHeader } from '@capstan/contract/board-version'
import type { BoardView } from '@capstan/contract/board-view'
import { operations, ownOperations } from '@capstan/contract/operations'
import { refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { refuseRole } from '@capstan/contract/roles'
import type { FastifyPluginAsync } from 'fastify'
import { queueCallerOf } from '../../server/fair-queue.ts'
import { sendReadyResponse } from '../../server/http/ready-answer.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import type { Board } from './board.ts'
import { createCtftimeFeeds } from './ctftime-feed.ts'

/**
 * Serves the scoreboard, its changes, and the difficulties and tags of its challenges, as bytes that are already serialized. Rules:
 * docs/contract/scoreboard-and-events.md.
 */
export const scoreboardRoutes: FastifyPluginAsync = async (app) => {
  const feeds = createCtftimeFeeds()
  const findBoard = async (gameId: number, user: SessionUser | undefined, view: BoardView = 'public'): Promise<Board> => {
    const refused = view === 'live' ? refuseRole('monitor', user?.role) : undefined
    if (refused) throw new Problem(refused)
    const board = await app.scoreboards.read(gameId, view)
    if (!board) throw new Problem('game.unknown')
    const refusal = refuseOutsidePhase('scoreboard', board.times, app.deps.clock.now())
    if (refusal) throw new Problem(refusal)
    return board
  }

  app.operation(operations.getScoreboard, async ({ params, query, user, request, reply }) => {
    const board = await findBoard(params.id, user, query.view)
    reply.header(boardVersionHeader, String(board.position))
    return sendReadyResponse(request, reply, board.answer, 'no-cache')
  })
  app.operation(ownOperations.getScoreboardRows, async ({ params, query, user, request, reply }) => {
    const board = await findBoard(params.id, user, query.view)
    return sendReadyResponse(request, reply, await app.scoreboards.changesSince(board, query.since))
  })
  app.operation(ownOperations.getPastScoreboard, async ({ params, query, user, request, reply }) => {
    const board = await findBoard(params.id, user, query.view)
    const caller = queueCallerOf(request.ip, user?.id)
    const past = await app.scoreboards.readPast(params.id, board, new Date(query.at), caller)
    if (!past) throw new Problem('game.unknown')
    return sendReadyResponse(request, reply, past, 'no-cache')
  })
  app.operation(ownOperations.getLeadingBoard, async ({ params, query, user, request, reply }) => {
    const board = await findBoard(params.id, user, query.view)
    reply.header(boardVersionHeader, String(board.position))
    return sendReadyResponse(request, reply, board.leading(), 'no-cache')
  })
  app.operation(ownOperations.getCtftimeFeed, async ({ params, request, reply }) =>
    sendReadyResponse(request, reply, await feeds.of(params.id, await findBoard(params.id, undefined)), 'no-cache'),
  )
  app.operation(ownOperations.getChallengeSolvers, async ({ params, query, user, request, reply }) => {
    const solvers = (await findBoard(params.id, user, query.view)).solversOf(params.cid)
    if (!solvers) throw new Problem('challenge.unknown')
    return sendReadyResponse(request, reply, solvers, 'no-cache')
  })
  app.operation(ownOperations.listChallengeMarks, async ({ params, query, user, request, reply }) => {
    const board = await findBoard(params.id, user, query.view)
    return sendReadyResponse(request, reply, board.marks, 'no-cache')
  })
}
