import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import { getSurvey, getSurveyResults, replaceSurveyAnswers } from './service.ts'

/** Survey after a game. Rules: docs/contract/surveys.md. */
export const surveyRoutes: FastifyPluginAsync = async (app) => {
  const deps = { ...app.deps, players: app.players }

  app.operation(ownOperations.getSurvey, ({ user, params }) => getSurvey(deps, params.id, user.id))
  // Answers may be anonymous, so the platform log does not contain the call.
  app.operation(ownOperations.setSurveyAnswers, ({ user, params, body }) => replaceSurveyAnswers(deps, params.id, user.id, body))
  app.operation(ownOperations.getSurveyResults, ({ params, ...call }) =>
    app.searchInTurn(call, () => getSurveyResults(deps, params.id)),
  )
}
