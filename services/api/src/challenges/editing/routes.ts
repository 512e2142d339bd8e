import { gameOrders } from '@capstan/contract/admin'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { presentAdminGame } from '../../games/editing/presenter.ts'
import { findGamesForEdit } from '../../games/editing/service.ts'
import { cloneChallenge, cloneGame } from './clone.ts'
import { addFlagRules, addFlags, deleteFlag, findFlagsMatchingAnswer, listFlagRules, setAttachment } from './flag-service.ts'
import { changeChallengeFields, getFullChallenge, listFullChallenges } from './full-challenge-service.ts'
import { forecastRejudging, rejudgeChallenge, undoRejudging } from './rejudge-service.ts'
import {
  countReadyChallenges,
  createChallenge,
  deleteChallenge,
  getChallenge,
  getChallengeReach,
  getContainerSettings,
  listChallengeLabels,
  listChallengeReadiness,
  listChallenges,
  setChallengeLabels,
  setChallengeReach,
  setContainerSettings,
  updateAcceptedCounts,
  updateChallenge,
} from './service.ts'

/** Challenges with flags and files for organizers. Rules: docs/contract/challenges.md#editing. */
export const challengeRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(ownOperations.findGames, async ({ query }) => {
    const { rows, total } = await findGamesForEdit(deps, {
      ...{ sort: gameOrders[0], descending: true, count: PageLimits.default, skip: 0 },
      ...query,
    })
    const counts = await countReadyChallenges(
      deps,
      rows.map(({ game }) => game),
    )
    const data = rows.map((row) => ({
      ...presentAdminGame(row.game, row.divisions),
      challenges: counts.get(row.game.id) ?? null,
    }))
    return { data, length: rows.length, total }
  })

  app.operation(operations.adminListChallenges, async ({ params }) => listChallenges(deps, params.id))

  app.operation(operations.createChallenge, async ({ params, body }) => createChallenge(deps, params.id, body))

  app.operation(operations.adminGetChallenge, async ({ params }) => getChallenge(deps, params.id, params.cid))

  app.operation(operations.updateChallenge, async ({ params, body }) => updateChallenge(deps, params.id, params.cid, body))

  app.operation(ownOperations.listFullChallenges, async ({ params }) => listFullChallenges(deps, params.id))

  app.operation(ownOperations.getFullChallenge, async ({ params }) => getFullChallenge(deps, params.id, params.cid))

  app.operation(ownOperations.changeChallenges, async ({ params, body: { challenges, change }, record }) => {
    const changed = await changeChallengeFields(deps, params.id, challenges, change)
    for (const { challenge } of changed) record(`Changed ${Object.keys(change).join(', ')} of "${challenge.title}"`)
    return changed
  })

  app.operation(ownOperations.getChallengeReach, async ({ params }) => getChallengeReach(deps, params.id, params.cid))

  app.operation(ownOperations.setChallengeReach, async ({ params, body }) => setChallengeReach(deps, params.id, params.cid, body))

  app.operation(ownOperations.listChallengeReadiness, async ({ params }) => listChallengeReadiness(deps, params.id))

  app.operation(ownOperations.listChallengeLabels, async ({ params }) => listChallengeLabels(deps, params.id))

  app.operation(ownOperations.setChallengeLabels, async ({ params, body, record }) => {
    const { title, labels } = await setChallengeLabels(deps, params.id, params.cid, body)
    record(`Changed difficulty and tags of "${title}"`)
    return labels
  })

  app.operation(ownOperations.getContainerDefinition, async ({ params }) => getContainerSettings(deps, params.id, params.cid))

  app.operation(ownOperations.setContainerDefinition, async ({ params, body }) =>
    setContainerSettings(deps, params.id, params.cid, body),
  )

  app.operation(ownOperations.cloneGame, async ({ params, body, record }) => {
    const { game, divisions } = await cloneGame(deps, params.id, body)
    record(`Copied game ${params.id} to game ${game.id} "${game.title}"`)
    return presentAdminGame(game, divisions)
  })

  app.operation(ownOperations.cloneChallenge, async ({ params, body, record }) => {
    const copy = await cloneChallenge(deps, params.id, params.cid, body.title)
    record(`Copied challenge ${params.cid} of game ${params.id} to challenge ${copy.id} "${copy.title}"`)
    return copy
  })

  app.operation(operations.deleteChallenge, async ({ params }) => deleteChallenge(deps, params.id, params.cid))

  app.operation(operations.addFlags, async ({ params, body }) => addFlags(deps, params.id, params.cid, body))

  app.operation(ownOperations.listFlagRules, async ({ params }) => listFlagRules(deps, params.id, params.cid))

  app.operation(ownOperations.addFlagRules, async ({ params, body }) => addFlagRules(deps, params.id, params.cid, body))

  app.operation(ownOperations.tryFlag, async ({ params, body }) => findFlagsMatchingAnswer(deps, params.id, params.cid, body))

  app.operation(operations.deleteFlag, async ({ params }) => deleteFlag(deps, params.id, params.cid, params.fid))

  app.operation(operations.setAttachment, async ({ params, body }) => setAttachment(deps, params.id, params.cid, body))

  app.operation(operations.recountSolves, async ({ params }) => updateAcceptedCounts(deps, params.id))

  app.operation(operations.recalculateSubmissions, async ({ params, record }) => {
    const { title, report } = await rejudgeChallenge(deps, params.id, params.cid)
    record(`Rejudged "${title}": the status of ${report.changed} of ${report.total} submissions changed`)
    return report
  })

  app.operation(ownOperations.forecastRejudge, async ({ params }) => forecastRejudging(deps, params.id, params.cid))

  app.operation(ownOperations.undoRejudge, async ({ params, record }) => {
    const { title, report } = await undoRejudging(deps, params.id, params.cid)
    record(`Undid the rejudge of "${title}": the status of ${report.changed} submissions was restored`)
    return report
  })
}
