import type account from './account.ts'
import type admin from './admin.ts'
import type adminCertificate from './admin-certificate.ts'
import type adminChallenges from './admin-challenges.ts'
import type adminContainer from './admin-container.ts'
import type adminGame from './admin-game.ts'
import type adminGames from './admin-games.ts'
import type adminImport from './admin-import.ts'
import type adminInstances from './admin-instances.ts'
import type adminLogs from './admin-logs.ts'
import type adminReview from './admin-review.ts'
import type adminSettings from './admin-settings.ts'
import type adminSignIn from './admin-sign-in.ts'
import type adminTeams from './admin-teams.ts'
import type adminTokens from './admin-tokens.ts'
import type adminUsers from './admin-users.ts'
import type adminWebhooks from './admin-webhooks.ts'
import type challengeHealth from './challenge-health.ts'
import type challenges from './challenges.ts'
import type common from './common.ts'
import type containers from './containers.ts'
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
import type survey from './survey.ts'
import type teams from './teams.ts'
import type tickets from './tickets.ts'
import type writeup from './writeup.ts'

/** Type of the texts of all areas. Code may use only the keys of the English texts. */
export type Catalogue = Readonly<{
  account: typeof account
  'admin-certificate': typeof adminCertificate
  'admin-challenges': typeof adminChallenges
  'admin-container': typeof adminContainer
  'admin-game': typeof adminGame
  'admin-games': typeof adminGames
  'admin-import': typeof adminImport
  'admin-instances': typeof adminInstances
  'admin-logs': typeof adminLogs
  'admin-review': typeof adminReview
  'admin-settings': typeof adminSettings
  'admin-sign-in': typeof adminSignIn
  'admin-teams': typeof adminTeams
  'admin-tokens': typeof adminTokens
  'admin-users': typeof adminUsers
  'admin-webhooks': typeof adminWebhooks
  admin: typeof admin
  'challenge-health': typeof challengeHealth
  challenges: typeof challenges
  common: typeof common
  containers: typeof containers
  editing: typeof editing
  games: typeof games
  home: typeof home
  instances: typeof instances
  joining: typeof joining
  'live-list': typeof liveList
  monitor: typeof monitor
  notices: typeof notices
  posts: typeof posts
  profiles: typeof profiles
  results: typeof results
  scoreboard: typeof scoreboard
  survey: typeof survey
  teams: typeof teams
  tickets: typeof tickets
  writeup: typeof writeup
}>
