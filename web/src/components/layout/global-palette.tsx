import type { GameSummary } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { matchPath, useLocation, useNavigate } from 'react-router'
import { phaseOfGame, usePlayerBoard } from '../../lib/game.ts'
import { isolateDirection } from '../../lib/i18n.ts'
import { languages } from '../../lib/languages.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { useColorScheme } from '../../stores/color-scheme.ts'
import { type Command, useCommandStore, useCommands } from '../../stores/commands.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { chooseLanguage, usePreferenceDialogs } from '../../stores/preference-dialogs.ts'
import { useTheme } from '../../stores/theme.ts'
import { CommandPalette } from '../ui/command-palette.tsx'
import { useNow } from '../ui/time.tsx'

/** Challenge that a command opens. */
type KnownChallenge = Readonly<{ id: number; title: string; category: string }>

/**
 * Returns commands for the challenges of the game to which the page belongs. On all other pages, uses the user's running game.
 * For an organizer without such a game, uses the first running game. On a challenge board it returns none, because the board adds
 * commands for its challenges.
 */
function useChallengeCommands(games: readonly GameSummary[] | undefined): readonly Command[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { state, role } = useSession()
  const isOrganizer = hasRole(role, 'Monitor')
  const now = useNow(10_000)
  const { pathname } = useLocation()
  const own = useCall(ownOperations.listOwnGames, state === 'user' ? {} : null)
  const edited = Number(matchPath(`${paths.adminGame.pattern}/*`, pathname)?.params.id)
  const opened = edited > 0 ? edited : Number(matchPath(`${paths.game.pattern}/*`, pathname)?.params.id)
  const running = games?.filter((game) => phaseOfGame(game, now) === 'running') ?? []
  const ownGame = running.find((game) => own.data?.includes(game.id)) ?? (isOrganizer ? running[0] : undefined)
  const id = opened > 0 ? opened : ownGame?.id
  const { data: game } = useCall(operations.getGame, state !== 'user' || id === undefined ? null : { params: { id } })
  const { data: board } = usePlayerBoard(game, now)
  const isReadOnly = isOrganizer && game !== undefined && game.status !== 'Accepted'
  const { data: monitored } = useCall(ownOperations.listMonitoredChallenges, isReadOnly ? { params: { id: game.id } } : null, {
    refreshInterval: 0,
  })
  const isOffered = useCommandStore(({ sources }) => (sources.challenges?.length ?? 0) > 0)
  return useMemo(() => {
    const challenges: readonly KnownChallenge[] | undefined = board ? Object.values(board.challenges).flat() : monitored
    if (!game || !challenges || isOffered) return []
    const solved = new Set(board?.rank?.solvedChallenges.map((solve) => solve.id))
    return challenges.map((challenge) => ({
      id: `challenge-${challenge.id}`,
      group: t('game.challenges'),
      label: challenge.title,
      note: [game.title, challenge.category, ...(solved.has(challenge.id) ? ['✓'] : [])].map(isolateDirection).join(' · '),
      keywords: [challenge.category, game.title],
      run: () => void navigate((edited > 0 ? paths.adminGameChallenge : paths.challenges).to(game.id, challenge.id)),
    }))
  }, [game, board, monitored, edited, isOffered, t, navigate])
}

/** Command palette with the commands of every page. It loads when it is first opened. */
export function GlobalCommandPalette() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { role } = useSession()
  const games = useCall(ownOperations.listAllGames).data
  const openHelp = useCommandStore((state) => state.openHelp)
  const openPreference = usePreferenceDialogs((state) => state.open)
  const chooseScheme = useColorScheme((state) => state.choose)
  const hasMomentSound = useNoticeAlerts(({ moments }) => moments)
  const setMomentSound = useNoticeAlerts(({ setMoments }) => setMoments)
  const { chooseManaged, chooseDefault } = useTheme.getState()
  const commands = useMemo<readonly Command[]>(() => {
    const go = (id: string, label: string, to: string): Command => ({
      id: `go-${id}`,
      group: t('palette.goTo'),
      label,
      run: () => void navigate(to),
    })
    return [
      go('home', t('nav.home'), paths.home.to()),
      go('games', t('nav.games'), paths.games.to()),
      go('teams', t('nav.teams'), paths.teams.to()),
      go('posts', t('nav.posts'), paths.posts.to()),
      go('about', t('nav.about'), paths.about.to()),
      role ? go('profile', t('nav.profile'), paths.profile.to()) : go('login', t('action.logIn'), paths.login.to()),
      ...(hasRole(role, 'Admin') ? [go('admin', t('nav.admin'), paths.admin.to())] : []),
      ...(games ?? []).map((game) => go(`game-${game.id}`, game.title, paths.game.to(game.id))),
      ...(['dark', 'light', 'auto'] as const).map((name) => ({
        id: `scheme-${name}`,
        group: t('palette.settings'),
        label: t('palette.scheme', { name: t(`scheme.${name}`) }),
        run: () => chooseScheme(name),
      })),
      {
        id: 'theme-managed',
        group: t('palette.settings'),
        label: t('palette.theme', { name: t('theme.Managed') }),
        run: chooseManaged,
      },
      {
        id: 'theme-default',
        group: t('palette.settings'),
        label: t('palette.theme', { name: t('theme.Default') }),
        run: chooseDefault,
      },
      {
        id: 'theme-custom',
        group: t('palette.settings'),
        label: t('palette.theme', { name: t('theme.Custom') }),
        run: () => openPreference('theme'),
      },
      ...languages.map((language) => ({
        id: `language-${language.code}`,
        group: t('palette.settings'),
        label: t('palette.language', { name: language.label }),
        keywords: [language.code],
        run: () => chooseLanguage(language.code),
      })),
      {
        id: 'moments',
        group: t('palette.settings'),
        label: hasMomentSound ? t('palette.momentsOff') : t('palette.momentsOn'),
        run: () => setMomentSound(!hasMomentSound),
      },
      { id: 'alerts', group: t('palette.settings'), label: t('alerts.label'), run: () => openPreference('notices') },
      { id: 'help', group: t('palette.actions'), label: t('palette.help'), run: () => openHelp(true) },
    ]
  }, [
    t,
    navigate,
    role,
    games,
    chooseScheme,
    chooseManaged,
    chooseDefault,
    openPreference,
    openHelp,
    hasMomentSound,
    setMomentSound,
  ])
  useCommands('global', commands)
  useCommands('challenges-elsewhere', useChallengeCommands(games))
  return <CommandPalette />
}
