import { Type } from 'typebox'
import { OwnSession } from '../accounts.ts'
import { AdminUserPage, InstanceState, InstanceUsage, TeamFilter, UserFilter } from '../admin.ts'
import { BoardChanges } from '../board-changes.ts'
import { CaptureHealth, CountedCapture, ProxiedConnection } from '../captures.ts'
import { TeamInstance, TestReport } from '../challenges.ts'
import { GameDesk } from '../desk.ts'
import { Id, Pages, Uuid } from '../kit.ts'
import { InputLimits, notEmpty } from '../limits.ts'
import { operation } from '../operation.ts'
import { TestMailRequest } from '../settings.ts'
import { ApiToken, ApiTokenCreate, ApiTokenCreated } from '../tokens.ts'
import { TeamPage } from '../teams.ts'

/**
 * Calls of our own beside the reference, by their operation id. Apart from `operations`, because the API description lists
 * exactly the calls of the reference.
 */
export const ownOperations = {
  getCaptureHealth: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/games/{id}/captures/health',
    access: 'monitor',
    summary: "Health and loss of a game's captures",
    description:
      'Whether traffic is recorded, how each instance stands, and what is missing. Empty for a game that does not exist.',
    params: Type.Object({ id: Id }),
    response: CaptureHealth,
    errors: [401, 403, 429, 500],
  }),
  listCountedCaptures: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/captures/{cid}/{pid}/counted',
    access: 'monitor',
    summary: 'Capture files of a team with their packets',
    description: 'The files of `GET /api/game/captures/{cid}/{pid}`.',
    params: Type.Object({ cid: Id, pid: Id }),
    response: Type.Array(CountedCapture),
    errors: [401, 403, 429, 500],
  }),
  listConnections: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/games/{id}/connections',
    access: 'monitor',
    summary: "Connections to a game's instances through the proxy",
    description: 'Newest first. Empty for a game that does not exist.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      challenge: Type.Optional(Id),
      participation: Type.Optional(Id),
      open: Type.Optional(Type.Boolean({ default: false, description: 'Only those that are open now.' })),
      hint: Type.Optional(
        Type.String({
          ...notEmpty,
          maxLength: InputLimits.searchMaxLength,
          description: 'Part of a name of team, user or challenge, or of the address.',
        }),
      ),
      count: Type.Optional(Pages.count()),
      skip: Type.Optional(Pages.skip),
    }),
    response: Type.Array(ProxiedConnection),
    errors: [400, 401, 403, 429, 500],
  }),
  listInstanceStates: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/instances/states',
    access: 'admin',
    summary: "State and reason of the teams' instances",
    description: 'Those of `GET /api/admin/instances`, in no order.',
    response: Type.Array(InstanceState),
    errors: [401, 403, 429, 500],
  }),
  listInstanceUsage: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/instances/usage',
    access: 'admin',
    summary: "CPU and memory of the teams' instances",
    description:
      'Those of `GET /api/admin/instances` that are measured, in no order; empty where nothing measures them. Up to 5 s old.',
    response: Type.Array(InstanceUsage),
    errors: [401, 403, 429, 500],
  }),
  getOwnSession: operation({
    tag: 'Account',
    method: 'GET',
    path: '/api/account/session',
    access: 'anonymous',
    summary: 'Own profile, or that nobody is logged in',
    description:
      'As `GET /api/account/profile`, for pages that visitors see too: for them it is no failure. 403 for banned users.',
    response: OwnSession,
    errors: [403, 429, 500],
  }),
  findUsers: operation({
    tag: 'Admin',
    method: 'GET',
    path: '/api/admin/users/list',
    access: 'admin',
    summary: 'Users by role, state, game and a part of what is known of them, in any order',
    description: 'The newest first unless told.',
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
    description: 'The newest first unless told.',
    query: TeamFilter,
    response: TeamPage,
    errors: [400, 401, 403, 429, 500],
  }),
  sendTestMail: operation({
    tag: 'Admin',
    method: 'POST',
    path: '/api/admin/config/mail',
    access: 'admin',
    summary: 'Send a test mail',
    description: 'Answers when the mail server has taken it. 400 without a mail server, or with what it said as detail.',
    body: TestMailRequest,
    errors: [400, 401, 403, 429, 500],
  }),
  listTokens: operation({
    tag: 'Tokens',
    method: 'GET',
    path: '/api/tokens',
    access: 'admin',
    summary: 'API tokens',
    description: 'Newest first, revoked and expired ones included.',
    response: Type.Array(ApiToken),
    errors: [401, 403, 429, 500],
  }),
  createToken: operation({
    tag: 'Tokens',
    method: 'POST',
    path: '/api/tokens',
    access: 'admin',
    summary: 'Make an API token',
    description: 'The token is shown in this answer alone.',
    body: ApiTokenCreate,
    response: ApiTokenCreated,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  deleteToken: operation({
    tag: 'Tokens',
    method: 'DELETE',
    path: '/api/tokens/{id}',
    access: 'admin',
    summary: 'Revoke or remove an API token',
    params: Type.Object({ id: Uuid }),
    query: Type.Object({
      delete: Type.Optional(Type.Boolean({ default: false, description: 'Remove it for good.' })),
    }),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  restoreToken: operation({
    tag: 'Tokens',
    method: 'POST',
    path: '/api/tokens/{id}/restore',
    access: 'admin',
    summary: 'Make a revoked API token valid again',
    params: Type.Object({ id: Uuid }),
    errors: [401, 403, 404, 429, 500],
  }),
  getTestReport: operation({
    tag: 'Edit',
    method: 'GET',
    path: '/api/edit/games/{id}/challenges/{cid}/container/log',
    access: 'admin',
    summary: 'Whether a test instance ran, and how the newest came up',
    params: Type.Object({ id: Id, cid: Id }),
    response: TestReport,
    errors: [401, 403, 404, 429, 500],
  }),
  getScoreboardChanges: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard/changes',
    access: 'anonymous',
    summary: 'What is new on a scoreboard',
    description: 'The new solves with all that follows from them, for who has read the scoreboard before.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      since: Type.String({
        ...notEmpty,
        maxLength: InputLimits.boardVersionMaxLength,
        description: 'Version of the known board: header `X-Board-Version` of the scoreboard, or `version` of its last changes.',
      }),
    }),
    response: BoardChanges,
    errors: [400, 404, 429, 500],
  }),
  getGameDesk: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/desk',
    access: 'monitor',
    summary: 'Figures of a game for the monitor desk',
    description: 'Also before its start. Up to 3 s old.',
    params: Type.Object({ id: Id }),
    response: GameDesk,
    errors: [401, 403, 404, 429, 500],
  }),
  listTeamInstances: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/instances',
    access: 'participant',
    summary: "Running instances of the caller's team",
    description: 'Whoever of the team started them, the oldest first.',
    params: Type.Object({ id: Id }),
    response: Type.Array(TeamInstance),
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
