import type account from './account.ts'
import type admin from './admin.ts'
import type adminChallenges from './admin-challenges.ts'
import type adminContainer from './admin-container.ts'
import type adminGame from './admin-game.ts'
import type adminGames from './admin-games.ts'
import type adminImport from './admin-import.ts'
import type adminInstances from './admin-instances.ts'
import type adminLogs from './admin-logs.ts'
import type adminReview from './admin-review.ts'
import type adminSettings from './admin-settings.ts'
import type adminTeams from './admin-teams.ts'
import type adminTokens from './admin-tokens.ts'
import type adminUsers from './admin-users.ts'
import type challengeHealth from './challenge-health.ts'
import type challenges from './challenges.ts'
import type common from './common.ts'
import type editing from './editing.ts'
import type games from './games.ts'
import type home from './home.ts'
import type instances from './instances.ts'
import type joining from './joining.ts'
import type liveList from './live-list.ts'
import type monitor from './monitor.ts'
import type notices from './notices.ts'
import type posts from './posts.ts'
import type profiles from './profiles.ts'
import type results from './results.ts'
import type scoreboard from './scoreboard.ts'
import type teams from './teams.ts'
import type writeup from './writeup.ts'

/** Every area with the shape of its English texts: the keys that code may use. */
export interface Catalogue {
  readonly account: typeof account
  readonly 'admin-challenges': typeof adminChallenges
  readonly 'admin-container': typeof adminContainer
  readonly 'admin-game': typeof adminGame
  readonly 'admin-games': typeof adminGames
  readonly 'admin-import': typeof adminImport
  readonly 'admin-instances': typeof adminInstances
  readonly 'admin-logs': typeof adminLogs
  readonly 'admin-review': typeof adminReview
  readonly 'admin-settings': typeof adminSettings
  readonly 'admin-teams': typeof adminTeams
  readonly 'admin-tokens': typeof adminTokens
  readonly 'admin-users': typeof adminUsers
  readonly admin: typeof admin
  readonly 'challenge-health': typeof challengeHealth
  readonly challenges: typeof challenges
  readonly common: typeof common
  readonly editing: typeof editing
  readonly games: typeof games
  readonly home: typeof home
  readonly instances: typeof instances
  readonly joining: typeof joining
  readonly 'live-list': typeof liveList
  readonly monitor: typeof monitor
  readonly notices: typeof notices
  readonly posts: typeof posts
  readonly profiles: typeof profiles
  readonly results: typeof results
  readonly scoreboard: typeof scoreboard
  readonly teams: typeof teams
  readonly writeup: typeof writeup
}
