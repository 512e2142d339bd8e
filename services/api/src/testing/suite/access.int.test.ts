import { ownOperations } from '@capstan/contract/operations'
import { type ProblemCode, problems } from '@capstan/contract/problems'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../app.ts'
import { sampleTestCases } from '../full-run.ts'
import {
  addressOfRequest,
  type CallName,
  callNames,
  createValidRequest,
  needsNewTestWorld,
  operationOfCall,
  sendRequest,
} from './requests.ts'
import { type Actor, createTestWorld, roles, type World } from './world.ts'

let context: TestApp
let world: World
beforeAll(async () => {
  context = await startTestApp({ config: { publicOrigin: 'http://localhost' } })
  world = await createTestWorld(context)
})
afterAll(() => context.close())

/**
 * Expected result of a call: success or the code of a refusal. `may` means that the caller has sufficient rights, regardless of the
 * result.
 */
type Outcome = 'ok' | 'may' | ProblemCode
type Row = Record<Actor, Outcome>

/** Assigns an outcome to each role, in the order of `roles`. */
function row(...outcomes: [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome, Outcome, Outcome]): Row {
  return Object.fromEntries(roles.map((role, index) => [role, outcomes[index]])) as Row
}

/**
 * Returns the outcomes of a call that requires a session. The call refuses visitors and banned users. `others`: outcomes for the
 * remaining callers, in the order user, other, member, captain, monitor and admin.
 */
function session(...others: [Outcome, Outcome, Outcome, Outcome, Outcome, Outcome]): Row {
  return row('session.required', 'session.banned', ...others)
}

const anyone = row('ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok')
const signedIn = session('ok', 'ok', 'ok', 'ok', 'ok', 'ok')
const low = 'role.insufficient'
const monitors = session(low, low, low, low, 'ok', 'ok')
const admins = session(low, low, low, low, low, 'ok')
function everybody(outcome: Outcome): Row {
  return session(outcome, outcome, outcome, outcome, outcome, outcome)
}

type Expectation = Readonly<{
  /** Expected outcomes if the call addresses an object of team A, or of the game that both teams play. */
  own: Row
  /**
   * Expected outcomes if the call addresses an object of team B, or of a game that only team B plays. Absent if the call
   * addresses no such object.
   */
  foreign?: Row
}>

const open: Expectation = { own: anyone }
const ofUser: Expectation = { own: signedIn }
const ofMonitors: Expectation = { own: monitors, foreign: monitors }
const ofAdmins: Expectation = { own: admins, foreign: admins }
/** Calls for monitors that concern no game. */
const ofMonitorsAlone: Expectation = { own: monitors }
/** Calls for admins that concern neither a team nor a game. */
const ofAdminsAlone: Expectation = { own: admins }
const none = 'participation.required'
/**
 * Calls for players. The caller `other` plays the same game, so a call is refused only if the caller's team does not participate.
 */
const ofPlayers: Expectation = {
  own: session(none, 'may', 'ok', 'ok', none, none),
  foreign: session(none, 'may', none, none, none, none),
}
/** Calls for members of any team in the game, in any phase. */
const ofMembers: Expectation = {
  own: session(none, 'ok', 'ok', 'ok', none, none),
  foreign: session(none, 'ok', none, none, none, none),
}
/** Calls about a ticket. For other teams of the game, the ticket does not seem to exist. */
const ofTicketOwners: Expectation = {
  own: session(none, 'ticket.unknown', 'ok', 'ok', none, none),
  foreign: session(none, 'ok', none, none, none, none),
}
const not = 'team.not-captain'
const ofCaptain: Expectation = { own: session(not, not, not, 'ok', not, not), foreign: everybody(not) }

/**
 * Expected access by call and role.
 * Rules: docs/contract/sessions-and-accounts.md#roles, docs/contract/teams.md, docs/contract/games-and-joining.md,
 * docs/contract/flags-and-scoring.md#submitting.
 */
const expectations: Record<CallName, Expectation> = {
  logIn: open,
  resetPassword: open,
  requestPasswordReset: open,
  register: open,
  verifyAccount: open,
  getSignInOptions: open,
  startSignIn: open,
  finishSignIn: open,
  finishLogin: open,
  getLoginFactors: open,
  finishPasskeyLogin: open,
  getSecondFactor: ofUser,
  startFactorProof: ofUser,
  // Only the role `user` has a known password.
  startTotp: { own: session('ok', 'may', 'may', 'may', 'may', 'may') },
  enableTotp: ofUser,
  startPasskey: { own: session('ok', 'may', 'may', 'may', 'may', 'may') },
  addPasskey: ofUser,
  removePasskey: { own: session('ok', 'may', 'may', 'may', 'may', 'may') },
  renewRecoveryCodes: { own: session('ok', 'may', 'may', 'may', 'may', 'may') },
  removeSecondFactor: { own: session('ok', 'may', 'may', 'may', 'may', 'may') },
  removeUserSecondFactor: ofAdminsAlone,
  listOwnSessions: ofUser,
  endOtherSessions: ofUser,
  endOwnSession: ofUser,
  endUserSessions: ofAdminsAlone,
  listOwnIdentities: ofUser,
  deleteOwnIdentity: ofUser,
  getSignInSettings: ofAdminsAlone,
  setSignInPolicy: ofAdminsAlone,
  createSignInProvider: ofAdminsAlone,
  updateSignInProvider: ofAdminsAlone,
  deleteSignInProvider: ofAdminsAlone,
  checkSignInProvider: ofAdminsAlone,
  setOwnAvatar: ofUser,
  requestEmailChange: ofUser,
  // Only the role `user` has a known password.
  changePassword: { own: session('ok', 'may', 'may', 'may', 'may', 'may') },
  // A banned user may log out.
  logOut: { own: row('session.required', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok') },
  logOutOfProvider: { own: row('session.required', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok') },
  confirmEmailChange: ofUser,
  getOwnProfile: ofUser,
  getOwnSession: { own: row('ok', 'session.banned', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok') },
  updateOwnProfile: ofUser,

  listUsers: ofAdminsAlone,
  addUsers: ofAdminsAlone,
  searchUsers: ofAdminsAlone,
  getUser: ofAdminsAlone,
  updateUser: ofAdminsAlone,
  deleteUser: ofAdminsAlone,
  resetUserPassword: ofAdminsAlone,
  listTeams: ofAdminsAlone,
  searchTeams: ofAdminsAlone,
  adminUpdateTeam: ofAdmins,
  adminDeleteTeam: ofAdmins,
  putTeamMember: ofAdmins,
  removeTeamMember: ofAdmins,
  setTeamCaptain: ofAdmins,
  getTeamProvider: ofAdmins,
  setTeamProvider: ofAdmins,
  deleteTeamProvider: ofAdmins,
  listInstances: ofAdminsAlone,
  listInstanceStates: ofAdminsAlone,
  findUsers: ofAdminsAlone,
  findTeams: ofAdminsAlone,
  findGames: ofAdminsAlone,
  findLogs: ofAdminsAlone,
  listInstanceUsage: ofAdminsAlone,
  listContainers: ofAdmins,
  listContainerEvents: ofAdmins,
  readContainerLog: ofAdmins,
  destroyInstance: ofAdmins,
  listWriteups: ofAdmins,
  downloadWriteups: ofAdmins,
  listFiles: ofAdminsAlone,
  getSettings: ofAdminsAlone,
  updateSettings: ofAdminsAlone,
  getMailState: ofAdminsAlone,
  sendTestMail: ofAdminsAlone,
  getProjectLinks: ofAdminsAlone,
  setProjectLinks: ofAdminsAlone,
  importCtfd: ofAdminsAlone,
  listTokens: ofAdminsAlone,
  createToken: ofAdminsAlone,
  deleteToken: ofAdminsAlone,
  restoreToken: ofAdminsAlone,
  setLogo: ofAdminsAlone,
  resetLogo: ofAdminsAlone,
  listLogs: ofAdminsAlone,
  setParticipationStatus: ofAdmins,
  setParticipationDivision: ofAdmins,
  uploadFiles: ofAdminsAlone,
  deleteFile: ofAdminsAlone,
  adminListGames: ofAdminsAlone,
  createGame: ofAdminsAlone,
  getEditGrant: ofAdminsAlone,
  findSourcedGame: ofAdminsAlone,
  openSourcedGame: ofAdminsAlone,
  getGameSource: ofAdmins,
  setGameSource: ofAdmins,
  openSourcedChallenge: ofAdmins,
  setChallengeSource: ofAdmins,
  adminGetGame: ofAdmins,
  getHashSalt: ofAdmins,
  updateGame: ofAdmins,
  deleteGame: ofAdmins,
  setGamePoster: ofAdmins,
  listWebhooks: ofAdmins,
  createWebhook: ofAdmins,
  updateWebhook: ofAdmins,
  deleteWebhook: ofAdmins,
  renewWebhookKey: ofAdmins,
  previewWebhook: ofAdmins,
  testWebhook: ofAdmins,
  listWebhookDeliveries: ofAdmins,
  resendWebhookDelivery: ofAdmins,
  getCertificate: ofAdmins,
  updateCertificate: ofAdmins,
  previewCertificate: ofAdmins,
  setCertificatePicture: ofAdmins,
  deleteCertificatePicture: ofAdmins,
  deleteWriteups: ofAdmins,
  adminListChallenges: ofAdmins,
  createChallenge: ofAdmins,
  adminGetChallenge: ofAdmins,
  updateChallenge: ofAdmins,
  deleteChallenge: ofAdmins,
  addFlags: ofAdmins,
  listFlagRules: ofAdmins,
  listChallengeLabels: ofAdmins,
  listAwards: ofAdmins,
  createAward: ofAdmins,
  revokeAward: ofAdmins,
  listSolveCorrections: ofAdmins,
  correctSolve: ofAdmins,
  revokeSolveCorrection: ofAdmins,
  listDivisions: ofAdmins,
  createDivision: ofAdmins,
  updateDivision: ofAdmins,
  deleteDivision: ofAdmins,
  setChallengeLabels: ofAdmins,
  addFlagRules: ofAdmins,
  tryFlag: ofAdmins,
  deleteFlag: ofAdmins,
  setAttachment: ofAdmins,
  startTestContainer: ofAdmins,
  stopTestContainer: ofAdmins,
  getTestReport: ofAdmins,
  listChallengeReadiness: ofAdmins,
  listTestInstanceWays: ofAdmins,
  listFullChallenges: ofAdmins,
  getFullChallenge: ofAdmins,
  replaceChallenge: ofAdmins,
  changeChallenges: ofAdmins,
  getChallengeReach: ofAdmins,
  setChallengeReach: ofAdmins,
  getContainerDefinition: ofAdmins,
  setContainerDefinition: ofAdmins,
  previewImport: ofAdmins,
  importChallenges: ofAdmins,
  importGame: ofAdminsAlone,
  exportGame: ofAdmins,
  exportChallenges: ofAdmins,
  downloadGameArchive: ofAdmins,
  getReachOffer: ofAdminsAlone,
  cloneGame: ofAdmins,
  cloneChallenge: ofAdmins,
  recalculateSubmissions: ofAdmins,
  forecastRejudge: ofAdmins,
  undoRejudge: ofAdmins,
  recountSolves: ofAdmins,
  adminListNotices: ofAdmins,
  addNotice: ofAdmins,
  countGameMailRecipients: ofAdmins,
  sendGameMail: ofAdmins,
  updateNotice: ofAdmins,
  deleteNotice: ofAdmins,
  listGeneratedNotices: ofAdmins,
  revealBoard: ofAdmins,
  undoReveal: ofAdmins,
  withdrawNotice: ofAdmins,
  createPost: ofAdminsAlone,
  updatePost: ofAdminsAlone,
  deletePost: ofAdminsAlone,
  listParticipations: ofAdmins,

  listCheats: ofMonitors,
  listEvents: ofMonitors,
  listSubmissions: ofMonitors,
  downloadScoreboard: ofMonitors,
  downloadSubmissions: ofMonitors,
  downloadScoreboardCsv: ofMonitors,
  downloadTeamCertificate: ofMonitors,
  downloadCertificates: ofMonitors,
  downloadSubmissionsCsv: ofMonitors,
  listCapturedChallenges: ofMonitors,
  getCaptureHealth: ofMonitors,
  getGameDesk: ofMonitors,
  listConnections: ofMonitors,
  findSubmissions: ofMonitors,
  findEvents: ofMonitors,
  findCheats: ofMonitors,
  listMonitoredTeams: ofMonitors,
  listMonitoredChallenges: ofMonitors,
  getMonitoredChallenge: ofMonitors,
  listCapturedTeams: ofMonitors,
  listCaptures: ofMonitors,
  listCountedCaptures: ofMonitors,
  downloadMergedCaptures: ofMonitors,
  downloadCaptures: ofMonitors,
  deleteCaptures: ofMonitors,
  downloadCapture: ofMonitors,
  deleteCapture: ofMonitors,

  getFile: open,
  listGames: open,
  getGame: { own: anyone, foreign: anyone },
  listNotices: { own: anyone, foreign: anyone },
  getScoreboard: { own: anyone, foreign: anyone },
  getScoreboardRows: { own: anyone, foreign: anyone },
  getPastScoreboard: { own: anyone, foreign: anyone },
  downloadChain: { own: anyone, foreign: anyone },
  getLeadingBoard: { own: anyone, foreign: anyone },
  getChallengeSolvers: { own: anyone, foreign: anyone },
  getCtftimeFeed: { own: anyone, foreign: anyone },
  getNoticeFeed: { own: anyone, foreign: anyone },
  getScoreboardEmbed: { own: anyone, foreign: anyone },
  getGameBadge: { own: anyone, foreign: anyone },
  getGameCalendar: open,
  getPostFeed: open,
  listChallengeMarks: { own: anyone, foreign: anyone },
  getCaptchaInfo: open,
  createPowChallenge: open,
  getClientConfig: open,
  listPosts: open,
  listLatestPosts: open,
  getPost: open,
  getTeam: { own: anyone, foreign: anyone },
  getTeamProfile: { own: anyone, foreign: anyone },
  getUserProfile: { own: anyone, foreign: anyone },
  listClosedTeams: { own: anyone, foreign: anyone },
  listAllGames: open,
  listOwnGames: open,
  checkJoin: { own: signedIn, foreign: signedIn },
  getRegistrationForm: { own: signedIn, foreign: signedIn },
  setAnswers: {
    own: session(none, 'ok', 'ok', 'ok', none, none),
    foreign: session(none, 'ok', none, none, none, none),
  },
  uploadAnswerFile: { own: signedIn, foreign: signedIn },
  downloadAnswerFile: {
    own: session('file.unknown', 'file.unknown', 'file.unknown', 'ok', 'ok', 'ok'),
    foreign: everybody('file.unknown'),
  },
  getTeamAnswers: ofMonitors,
  downloadAnswers: ofMonitors,
  downloadAnswersCsv: ofMonitors,
  downloadAnswerFiles: ofMonitors,
  getSurvey: ofPlayers,
  setSurveyAnswers: ofPlayers,
  getSurveyResults: ofMonitors,
  downloadSurvey: ofMonitors,
  downloadSurveyCsv: ofMonitors,
  listTeamTickets: ofMembers,
  countUnreadTeamTickets: ofMembers,
  openTicket: ofMembers,
  getTeamTicket: ofTicketOwners,
  replyToTicket: ofTicketOwners,
  closeTeamTicket: ofTicketOwners,
  readTeamTicket: ofTicketOwners,
  findTickets: ofMonitors,
  countUnreadTickets: ofMonitors,
  getTicket: ofMonitors,
  answerTicket: ofMonitors,
  changeTicket: ofMonitors,
  readTicket: ofMonitors,
  mergeTicket: ofMonitors,
  listCannedAnswers: ofMonitorsAlone,
  createCannedAnswer: ofMonitorsAlone,
  updateCannedAnswer: ofMonitorsAlone,
  deleteCannedAnswer: ofMonitorsAlone,
  listTeamAwards: { own: signedIn, foreign: signedIn },
  getOwnVisibility: ofUser,
  setOwnVisibility: ofUser,
  unsubscribe: open,
  getOwnMailState: ofUser,
  getGameMailChoice: ofUser,
  setGameMailChoice: ofUser,
  setTeamVisibility: ofCaptain,
  verifyTeamToken: { own: anyone, foreign: anyone },

  getPlayerBoard: ofPlayers,
  getWriteup: ofPlayers,
  getWriteupDeadline: ofPlayers,
  downloadOwnCertificate: ofPlayers,
  submitWriteup: ofPlayers,
  getChallenge: ofPlayers,
  listFlagProgress: ofPlayers,
  listAttempts: ofPlayers,
  buyHint: ofPlayers,
  submitFlag: ofPlayers,
  judgeFlag: ofPlayers,
  startContainer: ofPlayers,
  stopContainer: ofPlayers,
  extendContainer: ofPlayers,
  listTeamInstances: ofPlayers,
  listInstanceWays: ofPlayers,
  // Only the captain, who sent the submission, may read its status.
  getSubmissionStatus: {
    own: session(
      'submission.unknown',
      'submission.unknown',
      'submission.unknown',
      'ok',
      'submission.unknown',
      'submission.unknown',
    ),
    foreign: everybody('submission.unknown'),
  },
  joinGame: {
    own: session('team.not-member', 'team.not-member', 'ok', 'ok', 'team.not-member', 'team.not-member'),
    foreign: session('team.not-member', 'may', 'team.not-member', 'team.not-member', 'team.not-member', 'team.not-member'),
  },
  leaveGame: {
    own: session('leave.not-joined', 'leave.not-joined', 'ok', 'ok', 'leave.not-joined', 'leave.not-joined'),
    foreign: session('leave.not-joined', 'ok', 'leave.not-joined', 'leave.not-joined', 'leave.not-joined', 'leave.not-joined'),
  },

  listOwnTeams: ofUser,
  createTeam: { own: session('ok', 'ok', 'ok', 'team.already-captain', 'ok', 'ok') },
  updateTeam: ofCaptain,
  deleteTeam: ofCaptain,
  setTeamAvatar: ofCaptain,
  getInvite: ofCaptain,
  renewInvite: ofCaptain,
  kickMember: ofCaptain,
  transferTeam: ofCaptain,
  leaveTeam: {
    own: session('team.not-member', 'team.not-member', 'ok', 'team.captain-stays', 'team.not-member', 'team.not-member'),
    foreign: session('team.not-member', 'ok', 'team.not-member', 'team.not-member', 'team.not-member', 'team.not-member'),
  },
  acceptInvite: {
    own: session('ok', 'ok', 'team.already-member', 'team.already-member', 'ok', 'ok'),
    foreign: session('ok', 'team.already-member', 'ok', 'ok', 'ok', 'ok'),
  },
}

async function outcomeOf(name: CallName, actor: Actor, target: 'own' | 'foreign', wanted: Outcome) {
  const operation = operationOfCall(name)
  const answer = await sendRequest(world.clients[actor], operation, await createValidRequest(name, world, context, actor, target))
  const isSuccess = answer.statusCode < 300
  // A successful call may have deleted test data, so the next call gets new test data.
  if (isSuccess && needsNewTestWorld(name)) world = await createTestWorld(context)
  if (isSuccess) return wanted === 'may' ? 'may' : 'ok'
  const body: { title: string; status: number; code: ProblemCode } = answer.json()
  const known = problems[body.code]
  expect([answer.statusCode, typeof body.title, body.title.length > 0]).toEqual([known.status, 'string', true])
  expect(body.status).toBe('wireStatus' in known ? known.wireStatus : known.status)
  const isRefusal = [401, 403].includes(answer.statusCode) || answer.statusCode >= 500
  return wanted === 'may' && !isRefusal ? 'may' : body.code
}

test('the access table has an entry for every registered call and for no other call', () => {
  const named = (names: CallName[]) => names.map((name) => `${operationOfCall(name).method} ${operationOfCall(name).path}`).sort()
  const registered = context.app.registeredOperations
    // `terminals.int.test.ts` tests the access to this WebSocket.
    .filter((operation) => operation !== ownOperations.openTerminal)
    .map(({ method, path }) => `${method} ${path}`)
    .sort()
  expect(named(Object.keys(expectations) as CallName[])).toEqual(registered)
})

const rows = callNames.flatMap((name) =>
  (['own', 'foreign'] as const)
    .filter((target) => expectations[name][target])
    .map((target) => ({ name, target, wanted: expectations[name][target] as Row })),
)

test.each(sampleTestCases(rows, 6))(
  'allows only the expected roles to call $name on $target objects',
  async ({ name, target, wanted }) => {
    const found = {} as Row
    for (const role of roles) found[role] = await outcomeOf(name, role, target, wanted[role])
    expect(found).toEqual(wanted)
  },
)

const playerCalls = callNames.filter((name) => operationOfCall(name).access === 'participant')

test.each(playerCalls)('refuses %s without an accepted team or before the start of the game', async (name) => {
  const codeIn = async (gameId: number) => {
    const input = await createValidRequest(name, world, context, 'captain')
    return (
      await sendRequest(world.clients.captain, operationOfCall(name), { ...input, params: { ...input.params, id: gameId } })
    ).json().code
  }
  const { pendingGameId, teamId } = world.own
  expect([await codeIn(pendingGameId), await codeIn(world.unstartedGameId)]).toEqual([
    'participation.not-accepted',
    'game.not-started',
  ])
  const setStatus = (status: string) =>
    context.sql`update participations set status = ${status} where game_id = ${pendingGameId} and team_id = ${teamId}`
  await setStatus('Suspended')
  const suspended = await codeIn(pendingGameId)
  await setStatus('Pending')
  expect(suspended).toBe('participation.suspended')
})

test.each(
  sampleTestCases(
    callNames.filter((name) => operationOfCall(name).access !== 'anonymous'),
    3,
  ),
)('%s answers visitors with 401 even for unknown objects', async (name) => {
  const operation = operationOfCall(name)
  const unknown = {
    id: 2_000_000_000,
    cid: 2_000_000_000,
    pid: 2_000_000_000,
    nid: 1,
    fid: 1,
    sid: 1,
    tid: crypto.randomUUID(),
    a: 2_000_000_000,
    b: 'x',
  }
  const url = addressOfRequest(operation, { params: { ...unknown, userId: crypto.randomUUID(), status: 'Accepted', file: 'x' } })
  const answer = await world.clients.visitor.inject({ method: operation.method, url })
  expect([answer.statusCode, answer.json().code]).toEqual([401, 'session.required'])
})
