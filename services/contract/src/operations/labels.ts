import { Type } from 'typebox'
import { BoardViewQuery } from '../board-view.ts'
import { ChallengeLabels, ChallengeMarks, LabeledChallenge } from '../challenge-labels.ts'
import { Id } from '../kit.ts'
import { operation } from '../operation.ts'

/** Calls for tags and difficulty of challenges. The reference platform does not have these calls. */
export const labelOperations = {
  listChallengeMarks: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/marks',
    access: 'anonymous',
    summary: 'Labels of the enabled challenges of a game',
    description: 'Tags, difficulty, and whether there is a container or a file. Visible whenever the scoreboard is visible.',
    params: Type.Object({ id: Id }),
    query: BoardViewQuery,
    response: Type.Array(ChallengeMarks),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  listChallengeLabels: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/challenges/labels',
    access: 'admin',
    summary: 'Tags and difficulty of the challenges of a game',
    description: 'Empty for a game that does not exist.',
    params: Type.Object({ id: Id }),
    response: Type.Array(LabeledChallenge),
    errors: [401, 403, 429, 500],
  }),
  setChallengeLabels: operation({
    tag: 'Edit',
    method: 'PUT',
    path: '/api/edit/games/{id}/challenges/{cid}/labels',
    access: 'admin',
    summary: 'Set tags and difficulty of a challenge',
    description: 'Tags are trimmed. Only the first of tags that differ in case is retained.',
    params: Type.Object({ id: Id, cid: Id }),
    body: ChallengeLabels,
    response: ChallengeLabels,
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
