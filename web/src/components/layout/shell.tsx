import { hasRole } from '@capstan/contract/roles'
import { Flag, House, LogIn, Newspaper, Search, ShieldCheck, UsersRound } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, NavLink, Outlet, ScrollRestoration, useLocation } from 'react-router'
import { useConfig } from '../../lib/config.ts'
import { paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/session.ts'
import { isTypingText } from '../../lib/shortcuts.ts'
import { useCommandStore } from '../../stores/commands.ts'
import { CapstanLogo } from '../mark.tsx'
import { cx } from '../ui/cx.ts'
import { InlineText } from '../ui/inline-text.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { AccountButton } from './account-button.tsx'
import { FlagResultNotifier } from './flag-results.tsx'
import { GlobalCommands } from './global-commands.tsx'
import { useIsOnline } from './online.ts'
import styles from './shell.module.css'

/** Layout of the application: navigation rail (a bar on phones), content and footer. */
export function PageShell() {
  const { t } = useTranslation()
  const { role, state } = useSession()
  const config = useConfig()
  const online = useIsOnline()
  const main = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const openPalette = useCommandStore((state) => state.openPalette)
  const first = useRef(true)

  // Moves the focus to the content of a new page, for keyboards and screen readers.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on every new address
  useEffect(() => {
    if (first.current) first.current = false
    else if (!main.current?.contains(document.activeElement) && !isTypingText(document.activeElement))
      main.current?.focus({ preventScroll: true })
  }, [pathname])

  const links = [
    { to: paths.home.to(), icon: <House aria-hidden />, label: t('nav.home'), exact: true },
    { to: paths.games.to(), icon: <Flag aria-hidden />, label: t('nav.games') },
    { to: paths.teams.to(), icon: <UsersRound aria-hidden />, label: t('nav.teams') },
    { to: paths.posts.to(), icon: <Newspaper aria-hidden />, label: t('nav.posts') },
    ...(hasRole(role, 'Admin') ? [{ to: paths.admin.to(), icon: <ShieldCheck aria-hidden />, label: t('nav.admin') }] : []),
  ]

  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t('skipToContent')}
      </a>
      <header className={styles.rail}>
        <Link to={paths.home.to()} className={styles.home} aria-label={config.title}>
          {config.logoUrl ? <img src={config.logoUrl} alt="" /> : <CapstanLogo size={30} />}
        </Link>
        <nav aria-label={t('nav.label')} className={styles.nav}>
          {links.map(({ to, icon, label, exact }) => (
            <NavLink key={to} to={to} end={exact ?? false} className={styles.link ?? ''}>
              {icon}
              {label}
            </NavLink>
          ))}
        </nav>
        <div className={styles.spacer} />
        <div className={styles.search}>
          <Tooltip content={t('nav.search')} side="right">
            <button type="button" className={styles.link} aria-label={t('nav.search')} onClick={() => openPalette(true)}>
              <Search aria-hidden />
              <kbd data-keys="Ctrl K" />
            </button>
          </Tooltip>
        </div>
        {state === 'visitor' && (
          <NavLink to={paths.login.to()} className={`${styles.link} ${styles.railLogin}`}>
            <LogIn aria-hidden />
            {t('action.logIn')}
          </NavLink>
        )}
        <div className={styles.menuSlot}>
          <AccountButton />
        </div>
      </header>
      <main id="content" ref={main} tabIndex={-1} className={styles.main}>
        {!online && (
          <div role="status" className={cx('small', styles.offline)}>
            {t('connection.offlineText')}
          </div>
        )}
        <Outlet />
        <footer className={cx('row row-between faint small', styles.footer)}>
          <div>{config.footerInfo ? <InlineText source={config.footerInfo} /> : config.slogan}</div>
          <Link to={paths.about.to()}>{t('nav.about')}</Link>
        </footer>
      </main>
      <GlobalCommands />
      <FlagResultNotifier />
      <ScrollRestoration />
    </div>
  )
}
