import { Type } from 'typebox'
import { Id } from '../kit.ts'
import { operation } from '../operation.ts'
import { Survey, SurveyResults, SurveyWrite } from '../surveys.ts'

const errors = [400, 401, 403, 404, 429, 500] as const
const ofGame = { tag: 'Game', params: Type.Object({ id: Id }), errors } as const
const results = { ...ofGame, method: 'GET', access: 'monitor' } as const

/** Calls that only this platform has, for the survey after a game. */
export const surveyOperations = {
  getSurvey: operation({
    ...ofGame,
    method: 'GET',
    path: '/api/game/{id}/survey',
    access: 'participant',
    summary: "Survey of a finished game with the caller's answers",
    description: '400 before the end, and if the game has no survey.',
    response: Survey,
  }),
  setSurveyAnswers: operation({
    ...ofGame,
    method: 'PUT',
    path: '/api/game/{id}/survey',
    access: 'participant',
    rateLimit: 'concurrency',
    summary: "Replace the caller's answers in the survey",
    description: '400 before the end, and if the game has no survey. 409 if the mode has changed.',
    body: SurveyWrite,
    response: Survey,
    repeatable: true,
    errors: [400, 401, 403, 404, 409, 429, 500],
  }),
  getSurveyResults: operation({
    ...results,
    path: '/api/game/{id}/monitor/survey',
    summary: 'Results of the survey by challenge',
    response: SurveyResults,
  }),
  downloadSurvey: operation({
    ...results,
    path: '/api/game/{id}/monitor/survey.xlsx',
    rateLimit: 'concurrency',
    summary: 'Answers of the survey as a spreadsheet',
    download: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
  downloadSurveyCsv: operation({
    ...results,
    path: '/api/game/{id}/monitor/survey.csv',
    rateLimit: 'concurrency',
    summary: 'Answers of the survey as CSV',
    download: 'text/csv',
  }),
} as const
