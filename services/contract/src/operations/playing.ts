import { Type } from 'typebox'
import { OwnSession } from '../accounts.ts'
import { BoardChanges } from '../board-changes.ts'
import { ChallengeSolvers, LeadingBoard } from '../board-parts.ts'
import { BoardViewQuery } from '../board-view.ts'
import { TeamInstance } from '../challenges.ts'
import { CtftimeFeed } from '../ctftime.ts'
import { GameSummary } from '../games.ts'
import { Hint, HintPurchase } from '../hints.ts'
import { Id, Uuid } from '../kit.ts'
import { InputLimits, Limits, notEmpty, notNegative } from '../limits.ts'
import { operation } from '../operation.ts'
import { InstanceAccess } from '../reach.ts'
import { Scoreboard } from '../scoreboard.ts'
import { FlagProgress, FlagSubmission, FlagVerdict, TeamAttempt } from '../submissions.ts'
import { WriteupDeadline } from '../writeups.ts'

/** Calls of players and visitors. */
export const playingOperations = {
  getOwnSession: operation({
    tag: 'Account',
    method: 'GET',
    path: '/api/account/session',
    access: 'anonymous',
    summary: 'Own profile, or null for a visitor',
    description: 'Like `GET /api/account/profile`, but without an error for visitors. 403 for banned users.',
    response: OwnSession,
    errors: [403, 429, 500],
  }),
  listAllGames: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/all',
    access: 'anonymous',
    summary: 'All games',
    description: 'Visible games, latest start first: at most 500.',
    response: Type.Array(GameSummary),
    errors: [429, 500],
  }),
  listOwnGames: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/own',
    access: 'anonymous',
    summary: "Games that the caller's teams play",
    description: 'Ids of visible games that have not ended and accepted the team, unordered. None for visitors.',
    response: Type.Array(Type.Integer({ format: 'int32' })),
    errors: [429, 500],
  }),
  getScoreboardRows: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard/rows',
    access: 'anonymous',
    summary: 'Changed rows of a scoreboard',
    description: 'Rows that changed after a version of the scoreboard, with the present values of all challenges.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      ...BoardViewQuery.properties,
      since: Type.String({
        ...notEmpty,
        maxLength: InputLimits.maxBoardVersionLength,
        description:
          'Version of the known board: header `X-Board-Version` of the scoreboard, or `version` of the last answer of this call.',
      }),
    }),
    response: BoardChanges,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  getPastScoreboard: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard/past',
    access: 'anonymous',
    rateLimit: 'concurrency',
    summary: 'Scoreboard of a past minute',
    description:
      'Between the freeze and the reveal, players and visitors get the minute of the freeze instead of any later minute.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      ...BoardViewQuery.properties,
      at: Type.Integer({ ...notNegative, maximum: InputLimits.maxInstantMs, description: 'In ms since 1970.' }),
    }),
    response: Scoreboard,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  downloadChain: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard/chain',
    access: 'anonymous',
    rateLimit: 'concurrency',
    summary: 'Signed chain of the records of a scoreboard',
    description:
      'One line of JSON for each record and each seal. Between the freeze and the reveal, the chain ends at the freeze.',
    params: Type.Object({ id: Id }),
    query: Type.Object({
      after: Type.Optional(
        Type.Integer({
          ...notNegative,
          maximum: InputLimits.maxInt32,
          default: 0,
          description: 'Number of a record. Only later records are sent. 0 also sends the line with the public key.',
        }),
      ),
    }),
    download: 'application/x-ndjson',
    errors: [400, 404, 429, 500],
  }),
  getLeadingBoard: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard/leading',
    access: 'anonymous',
    summary: 'The first rows of a scoreboard',
    description: 'The scoreboard with only its leading teams, to show until the whole has loaded.',
    params: Type.Object({ id: Id }),
    query: BoardViewQuery,
    response: LeadingBoard,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  getCtftimeFeed: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/ctftime',
    access: 'anonymous',
    summary: "Scoreboard in CTFtime's format",
    params: Type.Object({ id: Id }),
    response: CtftimeFeed,
    errors: [400, 404, 429, 500],
  }),
  getChallengeSolvers: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/scoreboard/solvers/{cid}',
    access: 'anonymous',
    summary: 'Latest solvers of a challenge',
    description: 'As on the scoreboard. 404 for a challenge that is not on it.',
    params: Type.Object({ id: Id, cid: Id }),
    query: BoardViewQuery,
    response: ChallengeSolvers,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  judgeFlag: operation({
    tag: 'Game',
    method: 'POST',
    path: '/api/game/{id}/challenges/{cid}/verdict',
    access: 'participant',
    rateLimit: 'submit',
    summary: 'Submit a flag and read its verdict',
    description:
      'Submits as `POST /api/game/{id}/challenges/{cid}` does, also with Idempotency-Key, and answers with the verdict, the points ' +
      'and the blood.',
    params: Type.Object({ id: Id, cid: Id }),
    body: FlagSubmission,
    response: FlagVerdict,
    errors: [400, 401, 403, 404, 429, 500],
  }),
  listFlagProgress: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/flags',
    access: 'participant',
    summary: 'Number of flags that the team has found, for each challenge with several flags to find',
    description: 'Challenges of which the team has found no flag are left out.',
    params: Type.Object({ id: Id }),
    response: Type.Array(FlagProgress),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  listAttempts: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/challenges/{cid}/attempts',
    access: 'participant',
    summary: "Submissions of the caller's team to a challenge",
    description: `The newest ${Limits.maxListedAttempts}, newest first.`,
    params: Type.Object({ id: Id, cid: Id }),
    response: Type.Array(TeamAttempt),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  buyHint: operation({
    tag: 'Game',
    method: 'POST',
    path: '/api/game/{id}/challenges/{cid}/hints/{hid}',
    access: 'participant',
    summary: "Buy a hint for the caller's team",
    description:
      'Returns the text and the price that the team paid. A team pays once: further calls of its members only return the text. 400 if the score of the team is below the price and the game does not allow debt.',
    params: Type.Object({ id: Id, cid: Id, hid: Uuid }),
    body: HintPurchase,
    response: Hint,
    errors: [400, 401, 403, 404, 409, 429, 500],
  }),
  listTeamInstances: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/instances',
    access: 'participant',
    summary: "Running instances of the caller's team",
    description: 'Started by any member of the team, oldest first.',
    params: Type.Object({ id: Id }),
    response: Type.Array(TeamInstance),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  listInstanceWays: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/container/{cid}/ways',
    access: 'participant',
    summary: "Ways to the team's instance",
    description: 'Best one first. 400 without a running instance.',
    params: Type.Object({ id: Id, cid: Id }),
    response: Type.Array(InstanceAccess),
    errors: [400, 401, 403, 404, 429, 500],
  }),
  getWriteupDeadline: operation({
    tag: 'Game',
    method: 'GET',
    path: '/api/game/{id}/writeup/deadline',
    access: 'participant',
    summary: 'Deadline for writeups',
    description: 'From the start on, also after the end of a game without practice mode, when its challenges are closed.',
    params: Type.Object({ id: Id }),
    response: WriteupDeadline,
    errors: [400, 401, 403, 404, 429, 500],
  }),
} as const
