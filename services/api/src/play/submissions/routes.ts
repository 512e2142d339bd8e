import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { findIdempotencyKey, readIdempotencyKey } from '../../server/http/idempotency-key.ts'
import { sendReadyResponse } from '../../server/http/ready-answer.ts'
import type { OperationContext, OperationOptions } from '../../server/plugins/operations.ts'
import { createPlayService } from './service.ts'

/**
 * Calls of players about challenges and flags. Rules: docs/contract/games-and-joining.md#order-of-checks,
 * docs/contract/challenges.md#flags-and-files, docs/contract/flags-and-scoring.md.
 */
export const playRoutes: FastifyPluginAsync = async (app) => {
  const play = createPlayService({
    ...app.deps,
    scoreboards: app.scoreboards,
    locks: app.locks,
    players: app.players,
    changes: app.changes,
    onJudged: (status) => app.metrics.submissions.inc({ status }),
  })

  app.operation(operations.getPlayerBoard, async ({ user, params, request, reply }) =>
    sendReadyResponse(
      request,
      reply,
      await play.getBoard(params.id, user.id, (board) => String(reply.serialize(board))),
      'private, no-cache',
    ),
  )

  app.operation(operations.getChallenge, ({ user, params }) => play.getChallenge(params.id, params.cid, user.id))

  const repeatable: OperationOptions = {
    async isRepetition({ headers, params }, { id }) {
      const key = findIdempotencyKey(headers['idempotency-key'])
      const gameId = Number((params as { readonly id: string }).id)
      const isId = Number.isInteger(gameId) && gameId >= InputLimits.minId && gameId <= InputLimits.maxInt32
      return key !== undefined && isId && play.isStored(key, gameId, id)
    },
  }
  type Submission = OperationContext<typeof operations.submitFlag>
  const readSubmission = ({ user, params, body, record, request }: Submission) =>
    [params.id, params.cid, user, body.flag, record, readIdempotencyKey(request.headers['idempotency-key'])] as const

  app.operation(operations.submitFlag, async (call) => (await play.submit(...readSubmission(call))).number, repeatable)
  app.operation(ownOperations.judgeFlag, (call) => play.judge(...readSubmission(call)), repeatable)

  app.operation(ownOperations.buyHint, ({ user, params, body, record }) =>
    play.buyHint({ gameId: params.id, challengeId: params.cid, hintId: params.hid, accepted: body.price }, user, record),
  )

  app.operation(ownOperations.listFlagProgress, ({ user, params }) => play.listFlagProgress(params.id, user.id))

  app.operation(ownOperations.listAttempts, ({ user, params }) => play.listAttempts(params.id, params.cid, user.id))

  app.operation(operations.getSubmissionStatus, ({ user, params }) =>
    play.getStatus({ gameId: params.id, challengeId: params.cid, number: params.sid, userId: user.id }),
  )
}
