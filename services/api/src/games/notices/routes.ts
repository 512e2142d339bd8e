import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { refusePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { FastifyPluginAsync } from 'fastify'
import { sendWithEtag } from '../../server/http/ready-answer.ts'
import { createGameService, timesOf } from '../editing/service.ts'
import { createNoticeService } from './service.ts'

/** Notices for players and organizers. Rules: docs/contract/scoreboard-and-events.md#notices. */
export const noticeRoutes: FastifyPluginAsync = async (app) => {
  const notices = createNoticeService(app.deps)
  const games = createGameService({ ...app.deps })

  app.operation(operations.listNotices, async ({ params, query, request, reply }) => {
    const refusal = refusePhase('notices', timesOf(await games.get(params.id)), app.deps.clock.now())
    if (refusal) throw new Problem(refusal)
    const list = await notices.list(params.id, { count: query.count ?? PageLimits.usual, skip: query.skip ?? 0 })
    return sendWithEtag(request, reply, list)
  })

  app.operation(operations.adminListNotices, async ({ params }) => {
    await games.get(params.id)
    return notices.listWritten(params.id)
  })

  app.operation(operations.addNotice, async ({ params, body }) => {
    await games.get(params.id)
    return notices.add(params.id, body.content)
  })

  app.operation(operations.updateNotice, async ({ params, body }) => {
    await games.get(params.id)
    return notices.update(params.id, params.nid, body.content)
  })

  app.operation(operations.deleteNotice, async ({ params }) => {
    await games.get(params.id)
    return notices.delete(params.id, params.nid)
  })

  app.operation(ownOperations.listGeneratedNotices, async ({ params, query }) => {
    await games.get(params.id)
    return notices.listGenerated(params.id, { count: query.count ?? PageLimits.usual, skip: query.skip ?? 0 })
  })

  app.operation(ownOperations.withdrawNotice, async ({ params, record }) => {
    const { title } = await games.get(params.id)
    await notices.withdraw(params.id, params.nid)
    record(`Withdrew a notice of "${title}"`)
  })
}
