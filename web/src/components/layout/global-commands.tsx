import { operations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { Suspense, useEffect, useLayoutEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { languages } from '../../lib/languages.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { useColorScheme } from '../../stores/color-scheme.ts'
import { type Command, useCommandStore, useCommands } from '../../stores/commands.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { pickLanguage, usePreferenceDialogs } from '../../stores/preference-dialogs.ts'
import { useTheme } from '../../stores/theme.ts'
import { late } from '../ui/late.tsx'

const CommandPalette = late({
  load: () => import('../ui/command-palette.tsx').then((file) => file.CommandPalette),
  Meanwhile: PaletteComing,
})
const ShortcutHelp = late({ load: () => import('../ui/shortcut-help.tsx').then((file) => file.ShortcutHelp) })
const PreferenceDialogs = late({ load: () => import('./preference-dialogs.tsx').then((file) => file.PreferenceDialogs) })

/** Commands and keys that work on every page; the dialogs behind them. */
export function GlobalCommands() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { role } = useSession()
  const paletteOpen = useCommandStore((state) => state.paletteOpen)
  const games = useCall(operations.listGames, paletteOpen ? {} : null).data
  const helpOpen = useCommandStore((state) => state.helpOpen)
  const openPalette = useCommandStore((state) => state.openPalette)
  const openHelp = useCommandStore((state) => state.openHelp)
  const preference = usePreferenceDialogs((state) => state.shown)
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
        run: () => pickLanguage(language.code),
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

  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      openPalette(!useCommandStore.getState().paletteOpen)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [openPalette])

  useShortcuts({ '?': () => openHelp(true) }, { inWorkspace: true })
  useShortcuts({
    '/': () => document.querySelector<HTMLInputElement>('main [data-search]')?.focus(),
  })

  return (
    <Suspense>
      {paletteOpen && <CommandPalette />}
      {helpOpen && <ShortcutHelp />}
      {preference !== null && <PreferenceDialogs />}
    </Suspense>
  )
}

/** Until the palette is loaded, what is typed is kept for it: no key of it is lost, and none is taken for a shortcut. */
function PaletteComing() {
  const typeAhead = useCommandStore((state) => state.typeAhead)
  const openPalette = useCommandStore((state) => state.openPalette)
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Escape') openPalette(false)
      else if ([...event.key].length === 1) typeAhead(event.key)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener('keydown', listen, { capture: true })
    return () => removeEventListener('keydown', listen, { capture: true })
  }, [typeAhead, openPalette])
  return null
}
