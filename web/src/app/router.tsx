import type { ComponentType } from 'react'
import { createBrowserRouter, createPath, type RouteObject, replace } from 'react-router'
import { PageSkeleton } from '../components/layout/access.tsx'
import { GameLayout } from '../components/layout/game-layout.tsx'
import { NotFoundPage } from '../components/layout/not-found.tsx'
import { PageShell } from '../components/layout/shell.tsx'
import { type Area, loadTextsOfAreas } from '../lib/i18n.ts'
import { loadApplicationFile } from '../lib/load-file.ts'
import { paths } from '../lib/paths.ts'
import { setReaderOfPendingAddress } from '../lib/upgrade.ts'
import { PageErrorScreen, RouteErrorScreen } from './error-screen.tsx'
import { CurrentPage } from './pages.tsx'

type RouteModule = Readonly<{
  Route: ComponentType
}>

/** Returns a route that loads its page, and the texts of the given areas, on demand. A page file exports `Route`. */
function page(load: () => Promise<RouteModule>, ...areas: readonly Area[]): Pick<RouteObject, 'lazy'> {
  return {
    lazy: async () => {
      const [{ Route }] = await Promise.all([loadApplicationFile(load), loadTextsOfAreas(areas)])
      return { Component: Route }
    },
  }
}

const gamePages: RouteObject[] = [
  { path: paths.game.pattern, ...page(() => import('../routes/game/overview.tsx'), 'games') },
  { path: paths.challenges.pattern, ...page(() => import('../routes/game/challenges.tsx'), 'challenges') },
  { path: paths.scoreboard.pattern, ...page(() => import('../routes/game/scoreboard.tsx'), 'scoreboard') },
  { path: paths.notices.pattern, ...page(() => import('../routes/game/notices.tsx'), 'notices') },
  { path: paths.tickets.pattern, ...page(() => import('../routes/game/tickets.tsx'), 'tickets') },
  {
    ...page(() => import('../routes/game/monitor/layout.tsx'), 'monitor'),
    children: [
      {
        path: paths.monitor.pattern,
        ...page(() => import('../routes/game/monitor/start.tsx'), 'challenge-health', 'scoreboard'),
      },
      { path: paths.monitorCheatInfo.pattern, ...page(() => import('../routes/game/monitor/cheat-info.tsx')) },
      { path: paths.monitorEvents.pattern, ...page(() => import('../routes/game/monitor/events.tsx'), 'live-list') },
      { path: paths.monitorSubmissions.pattern, ...page(() => import('../routes/game/monitor/submissions.tsx'), 'live-list') },
      { path: paths.monitorSurvey.pattern, ...page(() => import('../routes/game/monitor/survey.tsx'), 'survey') },
      {
        path: paths.monitorTickets.pattern,
        ...page(() => import('../routes/game/monitor/tickets.tsx'), 'tickets', 'challenge-health'),
      },
      { path: paths.monitorTraffic.pattern, ...page(() => import('../routes/game/monitor/traffic.tsx')) },
    ],
  },
]

const adminPages: RouteObject[] = [
  {
    ...page(() => import('../routes/admin/layout.tsx'), 'admin'),
    children: [
      { path: paths.admin.pattern, ...page(() => import('../routes/admin/start.tsx')) },
      { path: paths.adminGames.pattern, ...page(() => import('../routes/admin/games.tsx'), 'admin-games', 'editing') },
      {
        path: paths.adminInstances.pattern,
        ...page(() => import('../routes/admin/instances.tsx'), 'admin-instances', 'challenge-health', 'containers', 'editing'),
      },
      { path: paths.adminLogs.pattern, ...page(() => import('../routes/admin/logs.tsx'), 'admin-logs', 'live-list', 'editing') },
      { path: paths.adminSettings.pattern, ...page(() => import('../routes/admin/settings.tsx'), 'admin-settings', 'editing') },
      { path: paths.adminSignIn.pattern, ...page(() => import('../routes/admin/sign-in.tsx'), 'admin-sign-in', 'editing') },
      { path: paths.adminTeams.pattern, ...page(() => import('../routes/admin/teams.tsx'), 'admin-teams', 'editing') },
      { path: paths.adminWebhooks.pattern, ...page(() => import('../routes/admin/webhooks.tsx'), 'admin-webhooks', 'editing') },
      { path: paths.adminTokens.pattern, ...page(() => import('../routes/admin/tokens.tsx'), 'admin-tokens', 'editing') },
      { path: paths.adminUsers.pattern, ...page(() => import('../routes/admin/users.tsx'), 'admin-users', 'editing') },
    ],
  },
  {
    ...page(() => import('../routes/admin/game/layout.tsx'), 'admin'),
    children: [
      { path: paths.adminGame.pattern, ...page(() => import('../routes/admin/game/start.tsx')) },
      { path: paths.adminGameInfo.pattern, ...page(() => import('../routes/admin/game/info.tsx'), 'admin-game', 'editing') },
      {
        path: paths.adminGameNotices.pattern,
        ...page(() => import('../routes/admin/game/notices.tsx'), 'admin-game', 'editing', 'notices'),
      },
      {
        path: paths.adminGameReview.pattern,
        ...page(() => import('../routes/admin/game/review.tsx'), 'admin-review', 'editing'),
      },
      {
        path: paths.adminGameCorrections.pattern,
        ...page(() => import('../routes/admin/game/corrections.tsx'), 'admin-review'),
      },
      { path: paths.adminGameWriteups.pattern, ...page(() => import('../routes/admin/game/writeups.tsx'), 'admin-review') },
      {
        path: paths.adminGameCertificate.pattern,
        ...page(() => import('../routes/admin/game/certificate.tsx'), 'admin-certificate', 'editing'),
      },
      {
        path: paths.adminGameChallenges.pattern,
        ...page(() => import('../routes/admin/game/challenges.tsx'), 'admin-challenges', 'admin-import'),
      },
      {
        path: paths.adminGameImport.pattern,
        ...page(() => import('../routes/admin/game/import.tsx'), 'admin-import', 'admin-challenges'),
      },
      {
        path: paths.adminGameChallenge.pattern,
        ...page(
          () => import('../routes/admin/game/challenge.tsx'),
          'admin-challenges',
          'challenge-health',
          'containers',
          'admin-container',
          'editing',
          'instances',
          'challenges',
        ),
      },
      {
        path: paths.adminGameFlags.pattern,
        // The flags are a section of the challenge editor, so this address redirects to that section before the first paint.
        loader: ({ params }) => replace(paths.adminGameChallenge.to(Number(params.id), Number(params.chalId), 'flags')),
      },
    ],
  },
]

/** All routes of the application. Their paths match regardless of case. */
export const routes: RouteObject[] = [
  {
    Component: PageShell,
    ErrorBoundary: RouteErrorScreen,
    children: [
      {
        // This route has a separate error screen, so that the navigation remains usable if a page fails.
        Component: CurrentPage,
        ErrorBoundary: PageErrorScreen,
        HydrateFallback: PageSkeleton,
        children: [
          { path: paths.home.pattern, ...page(() => import('../routes/home.tsx'), 'home') },
          { path: paths.about.pattern, ...page(() => import('../routes/about.tsx'), 'home') },
          { path: paths.teams.pattern, ...page(() => import('../routes/teams.tsx'), 'teams') },
          { path: paths.team.pattern, ...page(() => import('../routes/team.tsx'), 'profiles') },
          { path: paths.player.pattern, ...page(() => import('../routes/player.tsx'), 'profiles') },
          { path: paths.confirm.pattern, ...page(() => import('../routes/account/confirm.tsx'), 'account') },
          { path: paths.login.pattern, ...page(() => import('../routes/account/login.tsx'), 'account') },
          { path: paths.profile.pattern, ...page(() => import('../routes/account/profile.tsx'), 'account') },
          { path: paths.recovery.pattern, ...page(() => import('../routes/account/recovery.tsx'), 'account') },
          { path: paths.register.pattern, ...page(() => import('../routes/account/register.tsx'), 'account') },
          { path: paths.reset.pattern, ...page(() => import('../routes/account/reset.tsx'), 'account') },
          { path: paths.signIn.pattern, ...page(() => import('../routes/account/sign-in.tsx'), 'account') },
          { path: paths.unsubscribe.pattern, ...page(() => import('../routes/account/unsubscribe.tsx'), 'account') },
          { path: paths.verify.pattern, ...page(() => import('../routes/account/verify.tsx'), 'account') },
          { path: paths.posts.pattern, ...page(() => import('../routes/posts/posts.tsx'), 'posts') },
          { path: paths.post.pattern, ...page(() => import('../routes/posts/post.tsx'), 'posts') },
          { path: paths.postEdit.pattern, ...page(() => import('../routes/posts/post-edit.tsx'), 'posts', 'editing') },
          { path: paths.games.pattern, ...page(() => import('../routes/games.tsx'), 'games') },
          { Component: GameLayout, children: gamePages },
          ...adminPages,
          { path: '*', Component: NotFoundPage },
        ],
      },
    ],
  },
]

export function createRouter() {
  const router = createBrowserRouter(routes)
  setReaderOfPendingAddress(() => router.state.navigation.location && createPath(router.state.navigation.location))
  return router
}
