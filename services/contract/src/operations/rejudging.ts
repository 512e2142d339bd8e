import { Type } from 'typebox'
import { Id } from '../kit.ts'
import { operation } from '../operation.ts'
import { RejudgeForecast, RejudgeUndone } from '../rejudging.ts'

/** Calls that preview or undo the effect of `recalculatesubmissions`. */
export const rejudgingOperations = {
  forecastRejudge: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/challenges/{cid}/rejudge',
    access: 'admin',
    rateLimit: 'concurrency',
    summary: 'Preview of judging all submissions of a challenge again',
    description: 'Changes nothing. Also describes the last rejudge that can be undone.',
    params: Type.Object({ id: Id, cid: Id }),
    response: RejudgeForecast,
    errors: [401, 403, 404, 429, 500],
  }),
  undoRejudge: operation({
    tag: 'Edit',
    method: 'POST',
    path: '/api/edit/games/{id}/challenges/{cid}/rejudge/undo',
    access: 'admin',
    summary: 'Undo the last rejudge of a challenge',
    description:
      'Restores the previous statuses, solves and counts. Later submissions are retained. Creates no notices or events.',
    params: Type.Object({ id: Id, cid: Id }),
    response: RejudgeUndone,
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
