import { gameOrders } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentAdminGame } from '../../games/editing/presenter.ts'
import { createGameService } from '../../games/editing/service.ts'
import { createCloneService } from './clone.ts'
import { createFlagService } from './flag-service.ts'
import { createRejudgeService } from './rejudge-service.ts'
import { createChallengeService } from './service.ts'
import { createFullChallengeService } from './whole-service.ts'

/** Challenges with flags and files for organizers. Rules: docs/contract/challenges.md#editing. */
export const challengeRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps }
  const games = createGameService(deps)
  const challenges = createChallengeService(deps)
  const flags = createFlagService(deps)
  const clones = createCloneService(deps)
  const whole = createFullChallengeService(deps)
  const rejudging = createRejudgeService(deps)

  app.operation(ownOperations.findGames, async ({ query }) => {
    const { rows, total } = await games.findForEdit({
      ...{ sort: gameOrders[0], descending: true, count: PageLimits.usual, skip: 0 },
      ...query,
    })
    const counts = await challenges.countReady(rows.map(({ game }) => game))
    const data = rows.map((row) => ({
      ...presentAdminGame(row.game, row.divisions),
      challenges: counts.get(row.game.id) ?? null,
    }))
    return { data, length: rows.length, total }
  })

  app.operation(operations.adminListChallenges, async ({ params }) => challenges.list(params.id))

  app.operation(operations.createChallenge, async ({ params, body }) => challenges.create(params.id, body))

  app.operation(operations.adminGetChallenge, async ({ params }) => challenges.get(params.id, params.cid))

  app.operation(operations.updateChallenge, async ({ params, body }) => challenges.update(params.id, params.cid, body))

  app.operation(ownOperations.listWholeChallenges, async ({ params }) => whole.list(params.id))

  app.operation(ownOperations.getWholeChallenge, async ({ params }) => whole.get(params.id, params.cid))

  app.operation(ownOperations.getChallengeReach, async ({ params }) => challenges.getReach(params.id, params.cid))

  app.operation(ownOperations.setChallengeReach, async ({ params, body }) => challenges.setReach(params.id, params.cid, body))

  app.operation(ownOperations.listChallengeReadiness, async ({ params }) => challenges.listReadiness(params.id))

  app.operation(ownOperations.listChallengeLabels, async ({ params }) => challenges.listLabels(params.id))

  app.operation(ownOperations.setChallengeLabels, async ({ params, body, record }) => {
    const { title, labels } = await challenges.setLabels(params.id, params.cid, body)
    record(`Changed difficulty and tags of "${title}"`)
    return labels
  })

  app.operation(ownOperations.getContainerDefinition, async ({ params }) => challenges.getContainer(params.id, params.cid))

  app.operation(ownOperations.setContainerDefinition, async ({ params, body }) =>
    challenges.setContainer(params.id, params.cid, body),
  )

  app.operation(ownOperations.cloneGame, async ({ params, body, record }) => {
    const { game, divisions } = await clones.cloneGame(params.id, body)
    record(`Copied game ${params.id} to game ${game.id} "${game.title}"`)
    return presentAdminGame(game, divisions)
  })

  app.operation(ownOperations.cloneChallenge, async ({ params, body, record }) => {
    const copy = await clones.cloneChallenge(params.id, params.cid, body.title)
    record(`Copied challenge ${params.cid} of game ${params.id} to challenge ${copy.id} "${copy.title}"`)
    return copy
  })

  app.operation(operations.deleteChallenge, async ({ params }) => challenges.delete(params.id, params.cid))

  app.operation(operations.addFlags, async ({ params, body }) => flags.add(params.id, params.cid, body))

  app.operation(ownOperations.listFlagRules, async ({ params }) => flags.listRules(params.id, params.cid))

  app.operation(ownOperations.addFlagRules, async ({ params, body }) => flags.addRules(params.id, params.cid, body))

  app.operation(ownOperations.tryFlag, async ({ params, body }) => flags.try(params.id, params.cid, body))

  app.operation(operations.deleteFlag, async ({ params }) => flags.delete(params.id, params.cid, params.fid))

  app.operation(operations.setAttachment, async ({ params, body }) => flags.setAttachment(params.id, params.cid, body))

  app.operation(operations.recountSolves, async ({ params }) => challenges.recount(params.id))

  app.operation(operations.recalculateSubmissions, async ({ params, record }) => {
    const { title, report } = await rejudging.rejudge(params.id, params.cid)
    record(`Rejudged "${title}": the status of ${report.changed} of ${report.total} submissions changed`)
    return report
  })

  app.operation(ownOperations.forecastRejudge, async ({ params }) => rejudging.forecast(params.id, params.cid))

  app.operation(ownOperations.undoRejudge, async ({ params, record }) => {
    const { title, report } = await rejudging.undo(params.id, params.cid)
    record(`Undid the rejudge of "${title}": the status of ${report.changed} submissions was restored`)
    return report
  })
}
