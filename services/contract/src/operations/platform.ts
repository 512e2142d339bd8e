import { Type } from 'typebox'
import { AdminUserPage, GameFilter, InstanceState, InstanceUsage, LogEntry, LogFilter, TeamFilter, UserFilter } from '../admin.ts'
import { Limits } from '../limits.ts'
import { operation } from '../operation.ts'
import { ListedGamePage } from '../readiness.ts'
import { ProjectLinks, TestMailRequest } from '../settings.ts'
import { TeamPage } from '../teams.ts'

/** Calls of admins about the whole platform. */
export const platformOperations = {
  findUsers: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/users/list',
    access: 'admin',
    summary: 'Users by role, state, game and text, in any order',
    description: 'Newest first by default.',
    query: UserFilter,
    response: AdminUserPage,
    errors: [400, 401, 403, 429, 500],
  }),
  findTeams: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/teams/list',
    access: 'admin',
    summary: 'Teams by state, game and a part of the name, in any order',
    description: 'Newest first by default.',
    query: TeamFilter,
    response: TeamPage,
    errors: [400, 401, 403, 429, 500],
  }),
  findGames: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/games/list',
    access: 'admin',
    summary: 'Games by id or a part of the title, in any order',
    description: 'Newest first by default.',
    query: GameFilter,
    response: ListedGamePage,
    errors: [400, 401, 403, 429, 500],
  }),
  findLogs: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/logs/list',
    access: 'admin',
    summary: 'System log by level, in any order',
    description: `The newest first unless told. By anything but the time only the newest ${Limits.maxSortedLogLines} lines are ordered.`,
    query: LogFilter,
    response: Type.Array(LogEntry),
    errors: [400, 401, 403, 429, 500],
  }),
  listInstanceStates: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/instances/states',
    access: 'admin',
    summary: "State and reason of the teams' instances",
    description: 'Instances of `GET /api/admin/instances`, unordered.',
    response: Type.Array(InstanceState),
    errors: [401, 403, 429, 500],
  }),
  listInstanceUsage: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/instances/usage',
    access: 'admin',
    summary: "CPU and memory of the teams' instances",
    description: 'Measured instances of `GET /api/admin/instances`, unordered. Empty without metrics. Up to 5 s old.',
    response: Type.Array(InstanceUsage),
    errors: [401, 403, 429, 500],
  }),
  sendTestMail: operation({
    tag: 'Admin',
    method: 'POST',
    path: '/api/admin/config/mail',
    access: 'admin',
    summary: 'Send a test email',
    description: 'Answers when the mail server has accepted it. 400 without a mail server, or with its reply as detail.',
    body: TestMailRequest,
    errors: [400, 401, 403, 429, 500],
  }),
  getProjectLinks: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/config/project',
    access: 'admin',
    summary: 'Source repository of this platform',
    response: ProjectLinks,
    errors: [401, 403, 429, 500],
  }),
  setProjectLinks: operation({
    tag: 'Admin',
    method: 'PUT',
    path: '/api/admin/config/project',
    access: 'admin',
    summary: 'Set the source repository of this platform',
    description:
      'It overrides `CAPSTAN_REPOSITORY_URL`, which overrides the repository of the build. It applies to pages that are opened afterwards.',
    body: ProjectLinks,
    response: ProjectLinks,
    errors: [400, 401, 403, 429, 500],
  }),
} as const
