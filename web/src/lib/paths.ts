import { signInReturnPath } from '@capstan/contract/sign-in-paths'

/** Filter values that the address of a list contains. Undefined filters are omitted. */
type ListFilter = Readonly<Record<string, string | number | undefined>>

function withFilter(path: string, filter: ListFilter = {}): string {
  const given = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/**
 * Path pattern of every route, and a function that builds its addresses. No other code contains addresses. Matching ignores case.
 */
export const paths = {
  home: { pattern: '/', to: () => '/' },
  about: { pattern: '/About', to: () => '/about' },
  /** If `gameId` is given, the page continues to this game once the user has a team. */
  teams: { pattern: '/Teams', to: (gameId?: number) => (gameId === undefined ? '/teams' : `/teams?game=${gameId}`) },

  team: { pattern: '/Teams/:id', to: (id: number) => `/teams/${id}` },
  player: { pattern: '/Players/:userId', to: (userId: string) => `/players/${userId}` },

  confirm: { pattern: '/account/Confirm', to: () => '/account/confirm' },
  login: {
    pattern: '/account/Login',
    /** `from`: address to open after the login. */
    to: (from?: string) => (from ? `/account/login?from=${encodeURIComponent(from)}` : '/account/login'),
  },
  profile: { pattern: '/account/Profile', to: () => '/account/profile' },
  recovery: { pattern: '/account/Recovery', to: () => '/account/recovery' },
  register: {
    pattern: '/account/Register',
    to: (from?: string) => (from ? `/account/register?from=${encodeURIComponent(from)}` : '/account/register'),
  },
  reset: { pattern: '/account/Reset', to: () => '/account/reset' },
  unsubscribe: { pattern: '/account/Unsubscribe', to: () => '/account/unsubscribe' },
  verify: { pattern: '/account/Verify', to: () => '/account/verify' },
  /** Page to which identity providers redirect users. */
  signIn: { pattern: '/account/Sign-In/:key', to: signInReturnPath },

  posts: { pattern: '/posts', to: (tag?: string) => (tag ? `/posts?tag=${encodeURIComponent(tag)}` : '/posts') },
  post: { pattern: '/posts/:postId', to: (postId: string) => `/posts/${postId}` },
  /** The id `new` opens the editor for a new post. */
  postEdit: { pattern: '/posts/:postId/Edit', to: (postId: string | 'new') => `/posts/${postId}/edit` },

  games: { pattern: '/games', to: () => '/games' },
  game: { pattern: '/games/:id', to: (id: number) => `/games/${id}` },
  challenges: {
    pattern: '/games/:id/Challenges/:chalId?',
    to: (id: number, chalId?: number) => (chalId === undefined ? `/games/${id}/challenges` : `/games/${id}/challenges/${chalId}`),
  },
  notices: { pattern: '/games/:id/Notice', to: (id: number) => `/games/${id}/notice` },
  tickets: {
    pattern: '/games/:id/Tickets/:ticketId?',
    /** The id `new` opens the form for a new ticket. `challengeId` preselects the challenge that the ticket is about. */
    to: (id: number, ticketId?: string, challengeId?: number) =>
      withFilter(`/games/${id}/tickets${ticketId === undefined ? '' : `/${ticketId}`}`, { challenge: challengeId }),
  },
  scoreboard: { pattern: '/games/:id/Scoreboard', to: (id: number) => `/games/${id}/scoreboard` },
  monitor: { pattern: '/games/:id/monitor', to: (id: number) => `/games/${id}/monitor` },
  monitorCheatInfo: { pattern: '/games/:id/monitor/CheatInfo', to: (id: number) => `/games/${id}/monitor/cheatinfo` },
  monitorEvents: {
    pattern: '/games/:id/monitor/Events',
    to: (id: number, filter?: ListFilter) => withFilter(`/games/${id}/monitor/events`, filter),
  },
  monitorSubmissions: {
    pattern: '/games/:id/monitor/Submissions',
    to: (id: number, filter?: ListFilter) => withFilter(`/games/${id}/monitor/submissions`, filter),
  },
  monitorSurvey: { pattern: '/games/:id/monitor/Survey', to: (id: number) => `/games/${id}/monitor/survey` },
  monitorTickets: {
    pattern: '/games/:id/monitor/Tickets/:ticketId?',
    to: (id: number, ticketId?: string, filter?: ListFilter) =>
      withFilter(`/games/${id}/monitor/tickets${ticketId === undefined ? '' : `/${ticketId}`}`, filter),
  },
  monitorTraffic: {
    pattern: '/games/:id/monitor/Traffic',
    to: (id: number, filter?: ListFilter) => withFilter(`/games/${id}/monitor/traffic`, filter),
  },

  admin: { pattern: '/admin', to: () => '/admin' },
  adminGames: { pattern: '/admin/games', to: () => '/admin/games' },
  adminInstances: {
    pattern: '/admin/Instances',
    to: (filter?: { readonly q: string }) => withFilter('/admin/instances', filter),
  },
  adminLogs: { pattern: '/admin/Logs', to: () => '/admin/logs' },
  adminSettings: { pattern: '/admin/Settings', to: () => '/admin/settings' },
  adminSignIn: { pattern: '/admin/Sign-In', to: () => '/admin/sign-in' },
  adminTeams: { pattern: '/admin/Teams', to: () => '/admin/teams' },
  adminWebhooks: { pattern: '/admin/webhooks', to: () => '/admin/webhooks' },
  adminTokens: { pattern: '/admin/Tokens', to: () => '/admin/tokens' },
  adminUsers: {
    pattern: '/admin/Users',
    to: (filter?: { readonly q: string }) => withFilter('/admin/users', filter),
  },

  adminGame: { pattern: '/admin/games/:id', to: (id: number) => `/admin/games/${id}` },
  adminGameInfo: {
    pattern: '/admin/games/:id/Info',
    /** `field`: control that gets the focus. */
    to: (id: number, field?: string) => (field === undefined ? `/admin/games/${id}/info` : `/admin/games/${id}/info#${field}`),
  },
  adminGameNotices: { pattern: '/admin/games/:id/Notices', to: (id: number) => `/admin/games/${id}/notices` },
  adminGameReview: {
    pattern: '/admin/games/:id/Review',
    /** `teamId`: team whose details are shown. */
    to: (id: number, teamId?: number) => withFilter(`/admin/games/${id}/review`, { team: teamId }),
  },
  adminGameCorrections: {
    pattern: '/admin/games/:id/Corrections',
    to: (id: number) => `/admin/games/${id}/corrections`,
  },
  adminGameWriteups: { pattern: '/admin/games/:id/Writeups', to: (id: number) => `/admin/games/${id}/writeups` },
  adminGameCertificate: {
    pattern: '/admin/games/:id/Certificate',
    to: (id: number) => `/admin/games/${id}/certificate`,
  },
  adminGameChallenges: { pattern: '/admin/games/:id/challenges', to: (id: number) => `/admin/games/${id}/challenges` },
  adminGameImport: { pattern: '/admin/games/:id/challenges/Import', to: (id: number) => `/admin/games/${id}/challenges/import` },
  adminGameChallenge: {
    pattern: '/admin/games/:id/challenges/:chalId',
    /** `section`: section of the editor. The default is the first one. */
    to: (id: number, chalId: number, section?: string) =>
      `/admin/games/${id}/challenges/${chalId}${section === undefined ? '' : `?section=${section}`}`,
  },
  adminGameFlags: {
    pattern: '/admin/games/:id/challenges/:chalId/Flags',
    to: (id: number, chalId: number) => `/admin/games/${id}/challenges/${chalId}/flags`,
  },
} as const

/** Returns the return address if it belongs to this site, or else the home page. */
export function toSafeReturnAddress(from: string | null): string {
  return from && /^\/(?![/\\])/.test(from) ? from : paths.home.to()
}
