import type { Operation } from './operation.ts'
import { operations, ownOperations } from './operations.ts'
import type { ProblemCode } from './problems.ts'
import type { TokenScope } from './tokens.ts'
import { tokenScopes } from './vocabulary.ts'

/** A call that tokens may make. */
interface TokenAccess {
  /** The least scope. */
  readonly scope: TokenScope
  /**
   * For tokens of one game. `id`: the number in the path under this name must be that game's. `any`: what the call is about belongs
   * to no game. Absent: the call is about more than one game, and such tokens do not open it.
   */
  readonly game?: 'id' | 'any'
  /** The scope that is enough for a token of this one game. */
  readonly ownGame?: TokenScope
}

type CallName = keyof typeof operations | keyof typeof ownOperations

const readsGame: TokenAccess = { scope: 'ReadGame', game: 'id' }
const reads: TokenAccess = { scope: 'ReadGame', game: 'any' }
const readsAll: TokenAccess = { scope: 'ReadGame' }
const writesChallenges: TokenAccess = { scope: 'WriteChallenges', game: 'id' }
const writesFiles: TokenAccess = { scope: 'WriteChallenges', game: 'any' }
const writesPlatform: TokenAccess = { scope: 'WritePlatform' }
/** What a game itself is: of all games only who writes the platform, of its own also who writes its challenges. */
const writesGame: TokenAccess = { scope: 'WritePlatform', game: 'id', ownGame: 'WriteChallenges' }

/**
 * Which calls tokens open. Every call stands here, so that nobody forgets a new one; `none`: people alone make it. What no token
 * does is act as a player, change accounts, or make tokens.
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
  listWholeChallenges: readsGame,
  getWholeChallenge: readsGame,
  getChallengeReach: readsGame,
  getContainerDefinition: readsGame,
  listFlagRules: readsGame,
  listChallengeLabels: readsGame,
  getGame: readsGame,
  exportChallenges: readsGame,
  exportGame: readsGame,
  listCheats: readsGame,
  listEvents: readsGame,
  listNotices: readsGame,
  listSubmissions: readsGame,
  listParticipations: readsGame,
  getScoreboard: readsGame,
  getScoreboardChanges: readsGame,
  getLeadingBoard: readsGame,
  getChallengeSolvers: readsGame,
  listChallengeMarks: readsGame,
  downloadScoreboard: readsGame,
  downloadSubmissions: readsGame,
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
  setWholeChallenge: writesChallenges,
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
  updateGame: writesGame,
  deleteGame: writesPlatform,
  setGamePoster: writesGame,
  deleteWriteups: writesPlatform,
  addNotice: writesPlatform,
  updateNotice: writesPlatform,
  deleteNotice: writesPlatform,
  withdrawNotice: writesPlatform,
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
  setOwnAvatar: 'none',
  requestEmailChange: 'none',
  changePassword: 'none',
  logIn: 'none',
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
  leaveGame: 'none',
  getPlayerBoard: 'none',
  getWriteup: 'none',
  getWriteupDeadline: 'none',
  submitWriteup: 'none',
  getChallenge: 'none',
  submitFlag: 'none',
  getSubmissionStatus: 'none',
  listWrongAnswers: 'none',
  startContainer: 'none',
  stopContainer: 'none',
  extendContainer: 'none',
  getCaptchaInfo: 'none',
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

/** What a token grants, besides whom it acts as. */
export interface TokenGrant {
  readonly scope: TokenScope
  /** Null: it is for all games. */
  readonly gameId: number | null
}

/**
 * @param operation undefined, or one that is no call of the contract: no token opens it
 * @param params of the path, as they came
 * @returns the problem code of a call that the token does not open, or undefined
 */
export const refuseToken = (
  { scope, gameId }: TokenGrant,
  operation: Operation | undefined,
  params: Readonly<Record<string, string | undefined>>,
): Extract<ProblemCode, 'token.scope' | 'token.game'> | undefined => {
  const access = operation && byOperation.get(operation)
  if (!access || access === 'none') return 'token.scope'
  const needed = gameId === null ? access.scope : (access.ownGame ?? access.scope)
  if (tokenScopes.indexOf(scope) < tokenScopes.indexOf(needed)) return 'token.scope'
  if (gameId === null || access.game === 'any') return undefined
  return access.game === 'id' && params.id === String(gameId) ? undefined : 'token.game'
}
