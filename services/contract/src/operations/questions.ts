import { Type } from 'typebox'
import { Id, Uuid } from '../kit.ts'
import { Limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { AnswerFile, AnswersWrite, RegistrationForm, TeamAnswers } from '../questions.ts'

const ofExport = {
  tag: 'Game',
  method: 'GET',
  access: 'monitor',
  rateLimit: 'concurrency',
  params: Type.Object({ id: Id }),
  errors: [400, 401, 403, 404, 429, 500],
} as const

/**
 * Calls that only this platform has, for the questions of the registration for a game. Editors get the questions from the call that
 * returns the game.
 */
export const questionOperations = {
  getRegistrationForm: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/answers',
    access: 'user',
    summary: 'Questions of the registration with own answers',
    params: Type.Object({ id: Id }),
    response: RegistrationForm,
    errors: [401, 403, 404, 429, 500],
  }),
  setAnswers: operation({
    tag: 'Game',
    method: 'PUT',
    path: '/api/game/{id}/answers',
    access: 'user',
    summary: 'Answer questions of the registration',
    description: 'Other answers remain unchanged. If the answer is not required, an empty answer deletes it.',
    params: Type.Object({ id: Id }),
    body: AnswersWrite,
    response: RegistrationForm,
    repeatable: true,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  uploadAnswerFile: operation({
    tag: 'Game',
    method: 'POST',
    path: '/api/game/{id}/answers/files',
    access: 'user',
    summary: 'Upload a file for an answer',
    description: 'A file that no answer uses is deleted after a day.',
    params: Type.Object({ id: Id }),
    upload: { field: 'file', maxBytes: Limits.maxAnswerFileBytes },
    response: AnswerFile,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  downloadAnswerFile: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/answers/files/{fid}',
    access: 'user',
    summary: 'Download a file of an answer',
    description: 'Allowed for the member who answered, for the captain if the answer belongs to the team, and for monitors.',
    params: Type.Object({ id: Id, fid: Uuid }),
    download: 'application/octet-stream',
    errors: [400, 401, 403, 404, 429, 500],
  }),
  getTeamAnswers: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/participations/{pid}/answers',
    access: 'monitor',
    summary: 'Answers of a team and its members',
    params: Type.Object({ id: Id, pid: Id }),
    response: TeamAnswers,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  downloadAnswers: operation({
    ...ofExport,
    path: '/api/game/{id}/participations/answers.xlsx',
    summary: 'Answers of all teams as a spreadsheet',
    download: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
  downloadAnswersCsv: operation({
    ...ofExport,
    path: '/api/game/{id}/participations/answers.csv',
    summary: 'Answers of all teams as CSV',
    download: 'text/csv',
  }),
  downloadAnswerFiles: operation({
    ...ofExport,
    path: '/api/game/{id}/participations/answers.zip',
    summary: 'Files of all answers as an archive',
    description: 'One folder for each team. The sheets name the same paths.',
    download: 'application/zip',
  }),
} as const
