import type { Operation } from './operation.ts'
import { operations, ownOperations } from './operations.ts'
import type { ProblemCode } from './problems.ts'
import type { TokenScope } from './tokens.ts'
import { tokenScopes } from './vocabulary.ts'

/** Rule for a call that API tokens may make. */
type TokenAccess = Readonly<{
  /** Minimum scope of the token. */
  scope: TokenScope
  /**
   * Rule for tokens that are limited to one game. `id`: the path parameter `id` must be that game. `any`: the call is not about a
   * game. Absent: the call is about several games, so such tokens cannot make it.
   */
  game?: 'id' | 'any'
  /** Smaller scope that suffices if the token is limited to this game. */
  ownGame?: TokenScope
}>

type CallName = keyof typeof operations | keyof typeof ownOperations

const readsGame: TokenAccess = { scope: 'ReadGame', game: 'id' }
const reads: TokenAccess = { scope: 'ReadGame', game: 'any' }
const readsAll: TokenAccess = { scope: 'ReadGame' }
const writesChallenges: TokenAccess = { scope: 'WriteChallenges', game: 'id' }
const writesFiles: TokenAccess = { scope: 'WriteChallenges', game: 'any' }
const writesPlatform: TokenAccess = { scope: 'WritePlatform' }
/**
 * Access to calls that change a game. Tokens for all games need the platform scope. Tokens for this game need the scope for its
 * challenges.
 */
const writesGame: TokenAccess = { scope: 'WritePlatform', game: 'id', ownGame: 'WriteChallenges' }

/**
 * Access of tokens to each call. The table lists every call, so that a new call cannot be forgotten. `none` means that only
 * people can make the call. No token can act as a player, change accounts, or create tokens.
 */
export const tokenAccess: Readonly<Record<CallName, TokenAccess | 'none'>> = {
  adminGetGame: readsGame,
  adminListChallenges: readsGame,
  adminGetChallenge: readsGame,
  adminListNotices: readsGame,
  listGeneratedNotices: readsGame,
  getTestReport: readsGame,
  listChallengeReadiness: readsGame,
  listTestInstanceWays: readsGame,
  listFullChallenges: readsGame,
  getFullChallenge: readsGame,
  getChallengeReach: readsGame,
  getContainerDefinition: readsGame,
  listFlagRules: readsGame,
  listChallengeLabels: readsGame,
  listDivisions: readsGame,
  getGame: readsGame,
  exportChallenges: readsGame,
  exportGame: readsGame,
  downloadGameArchive: readsGame,
  getCertificate: readsGame,
  previewCertificate: readsGame,
  downloadTeamCertificate: readsGame,
  downloadCertificates: readsGame,
  listCheats: readsGame,
  listEvents: readsGame,
  listNotices: readsGame,
  listSubmissions: readsGame,
  listParticipations: readsGame,
  getScoreboard: readsGame,
  getScoreboardRows: readsGame,
  getPastScoreboard: readsGame,
  downloadChain: readsGame,
  getLeadingBoard: readsGame,
  getChallengeSolvers: readsGame,
  getCtftimeFeed: readsGame,
  listChallengeMarks: readsGame,
  downloadScoreboard: readsGame,
  downloadSubmissions: readsGame,
  downloadScoreboardCsv: readsGame,
  downloadSubmissionsCsv: readsGame,
  listCapturedChallenges: readsGame,
  getCaptureHealth: readsGame,
  listConnections: readsGame,
  findSubmissions: readsGame,
  findEvents: readsGame,
  findCheats: readsGame,
  listMonitoredTeams: readsGame,
  listMonitoredChallenges: readsGame,
  getMonitoredChallenge: readsGame,
  getGameDesk: readsGame,
  listWriteups: readsGame,
  downloadWriteups: readsGame,
  getGameSource: readsGame,
  getEditGrant: reads,
  listGames: reads,
  getFile: reads,
  getClientConfig: reads,
  listPosts: reads,
  listLatestPosts: reads,
  getPost: reads,
  getReachOffer: reads,
  adminListGames: readsAll,
  findGames: readsAll,
  findSourcedGame: readsAll,
  getTeamProfile: readsAll,
  getUserProfile: readsAll,
  listClosedTeams: readsAll,
  listCapturedTeams: readsAll,
  listCaptures: readsAll,
  downloadCaptures: readsAll,
  downloadCapture: readsAll,
  listCountedCaptures: readsAll,
  createChallenge: writesChallenges,
  updateChallenge: writesChallenges,
  replaceChallenge: writesChallenges,
  changeChallenges: writesChallenges,
  setChallengeReach: writesChallenges,
  setChallengeLabels: writesChallenges,
  setContainerDefinition: writesChallenges,
  previewImport: writesChallenges,
  importChallenges: writesChallenges,
  cloneChallenge: writesChallenges,
  deleteChallenge: writesChallenges,
  addFlags: writesChallenges,
  addFlagRules: writesChallenges,
  tryFlag: writesChallenges,
  deleteFlag: writesChallenges,
  setAttachment: writesChallenges,
  startTestContainer: writesChallenges,
  stopTestContainer: writesChallenges,
  recalculateSubmissions: writesChallenges,
  forecastRejudge: readsGame,
  undoRejudge: writesChallenges,
  recountSolves: writesChallenges,
  openSourcedChallenge: writesChallenges,
  setChallengeSource: writesChallenges,
  setGameSource: writesChallenges,
  uploadFiles: writesFiles,
  importGame: writesPlatform,
  listUsers: writesPlatform,
  searchUsers: writesPlatform,
  findUsers: writesPlatform,
  getUser: writesPlatform,
  listTeams: writesPlatform,
  searchTeams: writesPlatform,
  findTeams: writesPlatform,
  findLogs: writesPlatform,
  adminUpdateTeam: writesPlatform,
  adminDeleteTeam: writesPlatform,
  putTeamMember: writesPlatform,
  removeTeamMember: writesPlatform,
  setTeamCaptain: writesPlatform,
  listInstances: writesPlatform,
  destroyInstance: writesPlatform,
  listFiles: writesPlatform,
  getSettings: writesPlatform,
  updateSettings: writesPlatform,
  setLogo: writesPlatform,
  resetLogo: writesPlatform,
  listLogs: writesPlatform,
  setParticipationStatus: writesPlatform,
  setParticipationDivision: writesPlatform,
  deleteFile: writesPlatform,
  createGame: writesPlatform,
  openSourcedGame: writesPlatform,
  cloneGame: writesPlatform,
  revealBoard: writesPlatform,
  undoReveal: writesPlatform,
  updateGame: writesGame,
  getTeamAnswers: writesPlatform,
  downloadAnswers: writesPlatform,
  downloadAnswersCsv: writesPlatform,
  downloadAnswerFiles: writesPlatform,
  createDivision: writesGame,
  updateDivision: writesGame,
  deleteDivision: writesGame,
  deleteGame: writesPlatform,
  setGamePoster: writesGame,
  updateCertificate: writesGame,
  setCertificatePicture: writesGame,
  deleteCertificatePicture: writesGame,
  deleteWriteups: writesPlatform,
  addNotice: writesPlatform,
  updateNotice: writesPlatform,
  deleteNotice: writesPlatform,
  withdrawNotice: writesPlatform,
  listAwards: readsGame,
  createAward: writesPlatform,
  revokeAward: writesPlatform,
  listSolveCorrections: readsGame,
  correctSolve: writesPlatform,
  revokeSolveCorrection: writesPlatform,
  createPost: writesPlatform,
  updatePost: writesPlatform,
  deletePost: writesPlatform,
  deleteCaptures: writesPlatform,
  deleteCapture: writesPlatform,
  listInstanceStates: writesPlatform,
  listInstanceUsage: writesPlatform,
  sendTestMail: writesPlatform,
  getProjectLinks: writesPlatform,
  setProjectLinks: writesPlatform,
  importCtfd: writesPlatform,
  listWebhooks: writesPlatform,
  createWebhook: writesPlatform,
  updateWebhook: writesPlatform,
  deleteWebhook: writesPlatform,
  renewWebhookKey: writesPlatform,
  previewWebhook: writesPlatform,
  testWebhook: writesPlatform,
  listWebhookDeliveries: writesPlatform,
  resendWebhookDelivery: writesPlatform,
  setOwnAvatar: 'none',
  requestEmailChange: 'none',
  changePassword: 'none',
  logIn: 'none',
  getSignInOptions: 'none',
  startSignIn: 'none',
  finishSignIn: 'none',
  listOwnSessions: 'none',
  endOtherSessions: 'none',
  endOwnSession: 'none',
  endUserSessions: 'none',
  listOwnIdentities: 'none',
  deleteOwnIdentity: 'none',
  getSignInSettings: 'none',
  setSignInPolicy: 'none',
  createSignInProvider: 'none',
  updateSignInProvider: 'none',
  deleteSignInProvider: 'none',
  checkSignInProvider: 'none',
  logOut: 'none',
  confirmEmailChange: 'none',
  resetPassword: 'none',
  getOwnProfile: 'none',
  getOwnSession: 'none',
  listTeamInstances: 'none',
  listInstanceWays: 'none',
  requestPasswordReset: 'none',
  register: 'none',
  updateOwnProfile: 'none',
  verifyAccount: 'none',
  joinGame: 'none',
  checkJoin: 'none',
  getRegistrationForm: 'none',
  setAnswers: 'none',
  uploadAnswerFile: 'none',
  downloadAnswerFile: 'none',
  leaveGame: 'none',
  getPlayerBoard: 'none',
  getWriteup: 'none',
  getWriteupDeadline: 'none',
  submitWriteup: 'none',
  downloadOwnCertificate: 'none',
  getChallenge: 'none',
  submitFlag: 'none',
  judgeFlag: 'none',
  getSubmissionStatus: 'none',
  listAttempts: 'none',
  buyHint: 'none',
  listTeamAwards: 'none',
  startContainer: 'none',
  stopContainer: 'none',
  extendContainer: 'none',
  getCaptchaInfo: 'none',
  createPowChallenge: 'none',
  proxyInstance: 'none',
  proxyTestContainer: 'none',
  listOwnTeams: 'none',
  createTeam: 'none',
  getTeam: 'none',
  updateTeam: 'none',
  deleteTeam: 'none',
  setTeamAvatar: 'none',
  getInvite: 'none',
  renewInvite: 'none',
  kickMember: 'none',
  leaveTeam: 'none',
  transferTeam: 'none',
  acceptInvite: 'none',
  verifyTeamToken: 'none',
  getOwnVisibility: 'none',
  listOwnGames: 'none',
  setOwnVisibility: 'none',
  setTeamVisibility: 'none',
  listTokens: 'none',
  createToken: 'none',
  deleteToken: 'none',
  restoreToken: 'none',
  addUsers: 'none',
  updateUser: 'none',
  deleteUser: 'none',
  resetUserPassword: 'none',
}

const byOperation = new Map<Operation, TokenAccess | 'none'>(
  Object.entries({ ...operations, ...ownOperations }).map(([name, operation]) => [operation, tokenAccess[name as CallName]]),
)

/** Rights of a token, in addition to the rights of its user. */
export type TokenGrant = Readonly<{
  scope: TokenScope
  /** Null if the token applies to all games. */
  gameId: number | null
}>

/**
 * @param operation if it is undefined or unknown, the call is refused
 * @param params of the path, as received
 * @returns the problem code if the token does not allow the call, or undefined
 */
export function refuseToken(
  { scope, gameId }: TokenGrant,
  operation: Operation | undefined,
  params: Readonly<Record<string, string | undefined>>,
): Extract<ProblemCode, 'token.scope' | 'token.game'> | undefined {
  const access = operation && byOperation.get(operation)
  if (!access || access === 'none') return 'token.scope'
  const needed = gameId === null ? access.scope : (access.ownGame ?? access.scope)
  if (tokenScopes.indexOf(scope) < tokenScopes.indexOf(needed)) return 'token.scope'
  if (gameId === null || access.game === 'any') return undefined
  return access.game === 'id' && params.id === String(gameId) ? undefined : 'token.game'
}
