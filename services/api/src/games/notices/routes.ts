import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { sendWithEtag } from '../../server/http/ready-answer.ts'
import { getGame, timesOfGame } from '../editing/service.ts'
import {
  addWrittenNotice,
  deleteNotice,
  listGeneratedNotices,
  listNotices,
  listWrittenNotices,
  updateNotice,
  withdrawNotice,
} from './service.ts'

/** Notices for players and organizers. Rules: docs/contract/scoreboard-and-events.md#notices. */
export const noticeRoutes: FastifyPluginAsync = async (app) => {
  app.operation(operations.listNotices, async ({ params, query, request, reply }) => {
    const game = await getGame(app.deps, params.id)
    const refusal = refuseOutsidePhase('notices', timesOfGame(game), app.deps.clock.now())
    if (refusal) throw new Problem(refusal)
    const list = await listNotices(app.deps, game, { count: query.count ?? PageLimits.default, skip: query.skip ?? 0 })
    return sendWithEtag(request, reply, list)
  })

  app.operation(operations.adminListNotices, async ({ params }) => {
    await getGame(app.deps, params.id)
    return listWrittenNotices(app.deps, params.id)
  })

  app.operation(operations.addNotice, async ({ params, body }) => {
    return addWrittenNotice(app.deps, await getGame(app.deps, params.id), body.content)
  })

  app.operation(operations.updateNotice, async ({ params, body }) => {
    await getGame(app.deps, params.id)
    return updateNotice(app.deps, params.id, params.nid, body.content)
  })

  app.operation(operations.deleteNotice, async ({ params }) => {
    await getGame(app.deps, params.id)
    return deleteNotice(app.deps, params.id, params.nid)
  })

  app.operation(ownOperations.listGeneratedNotices, async ({ params, query }) => {
    await getGame(app.deps, params.id)
    return listGeneratedNotices(app.deps, params.id, { count: query.count ?? PageLimits.default, skip: query.skip ?? 0 })
  })

  app.operation(ownOperations.withdrawNotice, async ({ params, record }) => {
    const { title } = await getGame(app.deps, params.id)
    await withdrawNotice(app.deps, params.id, params.nid)
    record(`Withdrew a notice of "${title}"`)
  })
}
