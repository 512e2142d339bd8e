import type { GameDetail, GameNotice } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, matchPath, Outlet, useLocation, useNavigate } from 'react-router'
import { addressOfBoard, phaseOfGame, useGame, useNumberInAddress, usePlayerBoard, useTeamInstances } from '../../lib/game.ts'
import { ApiError, addressOfCall } from '../../lib/http.ts'
import { useHub, useWorstConnectionState } from '../../lib/live.ts'
import { paths } from '../../lib/paths.ts'
import { useHaveAllReadsEnded } from '../../lib/quiet.ts'
import {
  refreshCall,
  refreshCallsWithPrefix,
  scheduleRefreshOfCallsWithPrefix,
  useCachedCallData,
} from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { useMediaQuery } from '../../lib/use-media.ts'
import { type Command, useCommands } from '../../stores/commands.ts'
import { InstanceLink } from '../instances/instance-link.tsx'
import { InstanceSummary } from '../instances/instance-summary.tsx'
import { cx } from '../ui/cx.ts'
import { announceToScreenReaders } from '../ui/live-region.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ErrorState } from '../ui/states.tsx'
import { LinkTabs, type TabLink } from '../ui/tabs.tsx'
import { Countdown, useNow } from '../ui/time.tsx'
import { PageSkeleton } from './access.tsx'
import { isConnectionShown } from './connection-shown.ts'
import { LiveNumber } from './live-number.tsx'
import { NotFoundPage } from './not-found.tsx'
import { findChallengeOfNotice } from './notice-challenge.ts'
import { useIsOnline } from './online.ts'
import styles from './shell.module.css'
import { UnreadNoticesCount } from './unread-count.tsx'
import { UnreadTicketsCount, UnreadTicketsLink, useTicketRefresh } from './unread-tickets.tsx'

/** Layout of all pages of a game: navigation and status strip. */
export function GameLayout() {
  const id = useNumberInAddress('id')
  return id === undefined ? <NotFoundPage /> : <KnownGame id={id} />
}

function KnownGame({ id }: { readonly id: number }) {
  const { data: game, error, mutate } = useGame(id)
  if (error instanceof ApiError && error.httpStatus === 404) return <NotFoundPage />
  if (!game) return error ? <ErrorState isPage error={error} onRetry={() => mutate()} /> : <GameSkeleton />
  return <Game game={game} />
}

/** The placeholder has the height of the layout, so that content below does not move. */
function GameSkeleton() {
  return (
    <>
      <div className={styles.gameTop} aria-hidden>
        <div className={styles.gameBar}>
          <Skeleton width="160px" height="16px" />
          <span className={styles.strip}>
            <span />
          </span>
        </div>
        <div className={styles.skeletonNav} />
      </div>
      <PageSkeleton />
    </>
  )
}

function Game({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation()
  const { id } = game
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const { role, profile } = useSession()
  const known = useCachedCallData()

  /** Shows an alert for a new notice. Other code updates the list of notices. */
  const showAlert = async (notice: GameNotice) => {
    if (pathname.toLowerCase() === paths.notices.to(id) && document.visibilityState === 'visible')
      return announceToScreenReaders(notice.values.join(', '))
    const { alertVisitorToNotice } = await import('./notice-alert.ts')
    const cid = Number(matchPath(`${paths.challenges.to(id)}/:chalId`, pathname)?.params.chalId)
    const open = cid > 0 ? known(operations.getChallenge, { params: { id, cid } }) : undefined
    const readBoard = () => known(operations.getPlayerBoard, { params: { id } })
    const isAboutChallenge = notice.type !== 'Normal' && readBoard() !== undefined
    await alertVisitorToNotice({
      notice,
      userId: profile?.userId ?? '',
      gameTitle: game.title,
      openChallenge: open ? { team: game.teamName, challenge: open.title } : null,
      // Read the board only when the user clicks. By then the page has refreshed the board, which contains a new challenge.
      onOpen: () => {
        const challengeId = findChallengeOfNotice(notice, readBoard())
        void navigate(challengeId === undefined ? paths.notices.to(id) : paths.challenges.to(id, challengeId))
      },
      openLabel: isAboutChallenge ? t('alerts.openChallenge') : t('alerts.open'),
    })
  }
  const notices = [operations.listNotices, { params: { id } }] as const
  useHub('user', id, {
    notice: (notice) => {
      showAlert(notice).catch(() => announceToScreenReaders(notice.values.join(', ')))
      void refreshCall(...notices)
      scheduleRefreshOfCallsWithPrefix(addressOfCall(operations.getPlayerBoard, { params: { id } }))
      scheduleRefreshOfCallsWithPrefix(addressOfBoard(id))
    },
    reconnected: () => void refreshCallsWithPrefix(`/api/game/${id}`),
  })

  const hasTeam = game.status !== 'Unsubmitted' && game.status !== 'Rejected'
  const isMonitor = hasRole(role, 'Monitor')
  useTicketRefresh(id, { team: hasTeam, organizers: isMonitor })

  const tabs: readonly TabLink[] = [
    { to: paths.game.to(id), label: t('game.overview'), exact: true },
    { to: paths.challenges.to(id), label: t('game.challenges') },
    { to: paths.scoreboard.to(id), label: t('game.scoreboard') },
    {
      to: paths.notices.to(id),
      label: (
        <>
          {t('game.notices')} <UnreadNoticesCount game={game} />
        </>
      ),
    },
    ...(hasTeam
      ? [
          {
            to: paths.tickets.to(id),
            label: (
              <>
                {t('game.tickets')} <UnreadTicketsCount gameId={id} side="team" />
              </>
            ),
          },
        ]
      : []),
    ...(isMonitor
      ? [
          {
            to: paths.monitor.to(id),
            label: (
              <>
                {t('game.monitor')} <UnreadTicketsCount gameId={id} side="organizers" />
              </>
            ),
          },
        ]
      : []),
    ...(hasRole(role, 'Admin') ? [{ to: paths.adminGame.to(id), label: t('game.admin') }] : []),
  ]

  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: 'game-c',
        group: game.title,
        label: t('game.challenges'),
        shortcut: 'g c',
        run: () => void navigate(paths.challenges.to(id)),
      },
      {
        id: 'game-s',
        group: game.title,
        label: t('game.scoreboard'),
        shortcut: 'g s',
        run: () => void navigate(paths.scoreboard.to(id)),
      },
      {
        id: 'game-n',
        group: game.title,
        label: t('game.notices'),
        shortcut: 'g n',
        run: () => void navigate(paths.notices.to(id)),
      },
    ],
    [t, navigate, id, game.title],
  )
  useCommands('game', commands)
  useShortcuts({
    'g c': () => void navigate(paths.challenges.to(id)),
    'g s': () => void navigate(paths.scoreboard.to(id)),
    'g n': () => void navigate(paths.notices.to(id)),
  })

  return (
    <>
      <div className={styles.gameTop} data-address={pathname} ref={publishHeight}>
        <div className={styles.gameBar}>
          <Link to={paths.game.to(id)} className={`${styles.gameTitle} truncate`} title={game.title}>
            <bdi>{game.title}</bdi>
          </Link>
          <StatusStrip game={game} {...{ hasTeam, isMonitor }} />
        </div>
        <div className={styles.gameNav}>
          <LinkTabs label={t('game.nav')} tabs={tabs} />
        </div>
      </div>
      <Outlet />
    </>
  )
}

/**
 * Sets `--game-frame` to the height of the game layout. From it, tokens.css derives `--game-top`, the height of the part that does
 * not scroll.
 */
function publishHeight(frame: HTMLElement | null) {
  if (!frame) return
  const root = document.documentElement
  const observer = new ResizeObserver(() => root.style.setProperty('--game-frame', `${frame.offsetHeight}px`))
  observer.observe(frame)
  return () => {
    observer.disconnect()
    root.style.removeProperty('--game-frame')
  }
}

const connectionTones = {
  idle: undefined,
  connecting: undefined,
  live: 'ok',
  polling: undefined,
  reconnecting: 'warn',
  offline: 'bad',
} as const

type StatusStripProps = Readonly<{ game: GameDetail; hasTeam: boolean; isMonitor: boolean }>

function StatusStrip({ game, hasTeam, isMonitor }: StatusStripProps) {
  const { t } = useTranslation()
  const now = useNow()
  const isQuiet = useHaveAllReadsEnded()
  const isPhone = useMediaQuery('(max-width: 760px)')
  const { data: board } = usePlayerBoard(isQuiet ? game : undefined, now)
  const instances = useTeamInstances(isQuiet ? game : undefined, now)
  const phase = phaseOfGame(game, now)
  const connection = useWorstConnectionState()
  const online = useIsOnline()
  const state = online ? connection : 'offline'
  const standing = board?.rank
  return (
    <section aria-label={t('game.status')} className={cx('muted small number', styles.strip)}>
      {isPhone && hasTeam && <UnreadTicketsLink gameId={game.id} side="team" />}
      {isPhone && isMonitor && <UnreadTicketsLink gameId={game.id} side="organizers" />}
      {isPhone && instances.length > 1 ? (
        <InstanceSummary gameId={game.id} instances={instances} now={now} className={styles.instance} />
      ) : (
        instances.map((instance) => (
          <InstanceLink key={instance.challengeId} gameId={game.id} instance={instance} now={now} className={styles.instance} />
        ))
      )}
      {standing && (
        <span>
          {standing.rank > 0 ? (
            <>
              {t('game.rank')}{' '}
              <b>
                <LiveNumber way="roll" value={standing.rank} />
              </b>
            </>
          ) : (
            t('game.notRanked')
          )}
          <span aria-hidden>·</span>
          <b>
            <LiveNumber way="count" value={standing.score} />
          </b>{' '}
          {t('game.points', { count: standing.score })}
        </span>
      )}
      {phase === 'ended' ? (
        <span className={styles.time}>{game.practiceMode ? t('game.practice') : t('game.ended')}</span>
      ) : (
        <span className={styles.time}>
          {phase === 'upcoming' ? t('game.startsIn') : t('game.endsIn')}{' '}
          <b>
            <Countdown until={phase === 'upcoming' ? game.start : game.end} />
          </b>
        </span>
      )}
      {state !== 'idle' && isConnectionShown(phase, state) && (
        <span className={styles.connection} data-state={state}>
          <span className="dot" data-tone={connectionTones[state]} />
          <span>{t(`connection.${state}`)}</span>
        </span>
      )}
    </section>
  )
}
