import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { findIdempotencyKey, readIdempotencyKey } from '../../server/http/idempotency-key.ts'
import { sendReadyResponse } from '../../server/http/ready-answer.ts'
import type { OperationContext, OperationOptions } from '../../server/plugins/operations.ts'
import { getChallengeView } from './challenge-view.ts'
import { createPlayState, type PlayDeps } from './deps.ts'
import { buyHint } from './hint-purchase.ts'
import { getSubmissionStatus, listAttempts, listFlagProgress } from './own-submissions.ts'
import { getPlayerBoard } from './player-board.ts'
import { findKeyedSubmission } from './repository.ts'
import { judgeFlag, type Submission, submitFlag } from './submit.ts'

function readSubmission({ user, params, body, record, request }: OperationContext<typeof operations.submitFlag>): Submission {
  const clientKey = readIdempotencyKey(request.headers['idempotency-key'])
  return { gameId: params.id, challengeId: params.cid, user, text: body.flag, clientKey, record }
}

/**
 * Calls of players about challenges and flags. Rules: docs/contract/games-and-joining.md#order-of-checks,
 * docs/contract/challenges.md#flags-and-files, docs/contract/flags-and-scoring.md.
 */
export const playRoutes: FastifyPluginAsync = async (app) => {
  const deps: PlayDeps = {
    ...app.deps,
    ...createPlayState({ db: app.deps.db, changes: app.changes }),
    scoreboards: app.scoreboards,
    players: app.players,
    changes: app.changes,
    onJudged: (status) => app.metrics.submissions.inc({ status }),
  }

  app.operation(operations.getPlayerBoard, async ({ user, params, request, reply }) =>
    sendReadyResponse(
      request,
      reply,
      await getPlayerBoard(deps, params.id, user.id, (board) => String(reply.serialize(board))),
      'private, no-cache',
    ),
  )

  app.operation(operations.getChallenge, ({ user, params }) => getChallengeView(deps, params.id, params.cid, user.id))

  const repeatable: OperationOptions = {
    async isRepetition({ headers, params }, { id }) {
      const clientKey = findIdempotencyKey(headers['idempotency-key'])
      const gameId = Number((params as { readonly id: string }).id)
      const isId = Number.isInteger(gameId) && gameId >= InputLimits.minId && gameId <= InputLimits.maxInt32
      if (clientKey === undefined || !isId) return false
      return (await findKeyedSubmission(deps.db, { clientKey, gameId, userId: id })) !== undefined
    },
  }

  app.operation(operations.submitFlag, async (call) => (await submitFlag(deps, readSubmission(call))).number, repeatable)
  app.operation(ownOperations.judgeFlag, async (call) => judgeFlag(deps, readSubmission(call)), repeatable)

  app.operation(ownOperations.buyHint, ({ user, params, body, record }) =>
    buyHint(deps, {
      ...{ gameId: params.id, challengeId: params.cid, hintId: params.hid, acceptedPrice: body.price },
      user,
      record,
    }),
  )

  app.operation(ownOperations.listFlagProgress, ({ user, params }) => listFlagProgress(deps, params.id, user.id))

  app.operation(ownOperations.listAttempts, ({ user, params }) => listAttempts(deps, params.id, params.cid, user.id))

  app.operation(operations.getSubmissionStatus, ({ user, params }) =>
    getSubmissionStatus(deps, { gameId: params.id, challengeId: params.cid, number: params.sid, userId: user.id }),
  )
}
