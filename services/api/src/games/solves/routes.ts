import { PageLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { FastifyPluginAsync } from 'fastify'
import type { CorrectionRow } from './correction-repository.ts'
import { createSolveCorrection, listCorrections, revokeCorrection } from './correction-service.ts'
import { presentCorrection } from './presenter.ts'

function describe({ team, challenge, reason }: CorrectionRow, game: string): string {
  return `of "${challenge}" by team "${team}" in "${game}": ${reason}`
}

/** Solves that organizers grant or take back. Rules: docs/contract/flags-and-scoring.md#corrections. */
export const correctionRoutes: FastifyPluginAsync = async (app) => {
  const { deps } = app

  app.operation(ownOperations.listSolveCorrections, async ({ params, query }) => {
    const { count = PageLimits.default, skip = 0, teamId } = query
    const { rows, total } = await listCorrections(deps, params.id, { count, skip, teamId })
    return { data: rows.map(presentCorrection), length: rows.length, total }
  })

  app.operation(ownOperations.correctSolve, async ({ params, body, user, record }) => {
    const { game, correction } = await createSolveCorrection(deps, params.id, user.id, body)
    record(`${correction.kind === 'Granted' ? 'Granted the solve' : 'Took back the solve'} ${describe(correction, game)}`)
    return presentCorrection(correction)
  })

  app.operation(ownOperations.revokeSolveCorrection, async ({ params, user, record }) => {
    const { game, correction } = await revokeCorrection(deps, params.id, user.id, params.aid)
    const what = correction.kind === 'Granted' ? 'the granted solve' : 'the withdrawal of the solve'
    record(`Revoked ${what} ${describe(correction, game)}`)
    return presentCorrection(correction)
  })
}
