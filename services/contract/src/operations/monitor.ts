import { Type } from 'typebox'
import { Id } from '../kit.ts'
import {
  CheatFilter,
  CheatPairPage,
  EventFilter,
  MonitoredChallenge,
  MonitoredChallengeView,
  MonitoredEventPage,
  MonitoredSubmissionPage,
  MonitoredTeam,
  SubmissionFilter,
} from '../monitor.ts'
import { operation } from '../operation.ts'

const ofGame = { params: Type.Object({ id: Id }), errors: [400, 401, 403, 404, 429, 500] } as const

const ofSheet = { ...ofGame, access: 'monitor', download: 'text/csv' } as const

/** Calls for monitors: filtered lists, and sheets as CSV files. The reference platform has no such calls. */
export const monitorOperations = {
  downloadScoreboardCsv: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard.csv',
    rateLimit: 'concurrency',
    summary: 'Scoreboard as CSV',
    description: 'Has the columns of `GET /api/game/{id}/scoreboardsheet`. 400 before the start, and for an empty scoreboard.',
    ...ofSheet,
  }),
  downloadSubmissionsCsv: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/submissions.csv',
    rateLimit: 'concurrency',
    summary: 'All submissions as CSV',
    description: 'Has the columns of `GET /api/game/{id}/submissionsheet`. 400 before the start.',
    ...ofSheet,
  }),
  findSubmissions: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/monitor/submissions',
    access: 'monitor',
    summary: 'Submissions by status, text, team, challenge and time',
    description: 'Newest first. 400 before the start.',
    query: SubmissionFilter,
    response: MonitoredSubmissionPage,
    ...ofGame,
  }),
  findEvents: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/monitor/events',
    access: 'monitor',
    summary: 'Events by kind, text, team, challenge and time',
    description: 'Newest first. 400 before the start.',
    query: EventFilter,
    response: MonitoredEventPage,
    ...ofGame,
  }),
  findCheats: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/monitor/cheats',
    access: 'monitor',
    summary: 'Pairs of teams that shared flags, by text, team, challenge and time',
    description: 'Most matching submissions first, then the newest. 400 before the start.',
    query: CheatFilter,
    response: CheatPairPage,
    ...ofGame,
  }),
  listMonitoredTeams: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/monitor/teams',
    access: 'monitor',
    summary: 'Teams of a game by name',
    description: 'Teams of every status.',
    response: Type.Array(MonitoredTeam),
    ...ofGame,
  }),
  listMonitoredChallenges: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/monitor/challenges',
    access: 'monitor',
    summary: 'Challenges of a game with the state of their instances',
    description: 'Disabled challenges too, in any phase of the game. Without flags.',
    response: Type.Array(MonitoredChallenge),
    ...ofGame,
  }),
  getMonitoredChallenge: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/monitor/challenges/{cid}',
    access: 'monitor',
    summary: 'A challenge as players see it',
    description: 'In any phase of the game. Without flags, and without the file of a team.',
    response: MonitoredChallengeView,
    ...ofGame,
    params: Type.Object({ id: Id, cid: Id }),
  }),
} as const
