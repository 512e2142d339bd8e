import type { GameDetail } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { Award, Maximize2, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { formatClock } from '../../lib/format.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { addressOfCall } from '../../lib/http.ts'
import { useFullScreen } from '../../lib/use-full-screen.ts'
import styles from './desk.module.css'
import { MonitorDashboard } from './desk-board.tsx'
import { useMonitorStatistics } from './use-desk.ts'

type DeskScreenProps = Readonly<{
  game: GameDetail
  isAdmin: boolean
}>

export function MonitorOverviewScreen({ game, isAdmin }: DeskScreenProps) {
  const { t } = useTranslation(['monitor', 'common'])
  const { data: desk, error, mutate, connection } = useMonitorStatistics(game.id)
  /** True while full screen mode is active, and false after the user has left it. Undefined before the user first opened it. */
  const [isWall, setIsWall] = useState<boolean>()
  const toWall = useRef<HTMLButtonElement>(null)
  // Moves the focus after full screen mode has ended.
  useEffect(() => {
    if (isWall === false) toWall.current?.focus()
  }, [isWall])
  const phase = phaseOfGame(game, useNow())
  if (!desk) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <DeskSkeleton />
  const state = connection === 'idle' ? 'connecting' : connection
  const board = (
    <>
      {/* Full screen mode hides the hint for stale data, so the error is shown here. */}
      {isWall && error && (
        <Alert tone="warn">
          <ErrorText error={error} />
        </Alert>
      )}
      <MonitorDashboard game={game} desk={desk} isAdmin={isAdmin} isLive={connection === 'live'} phase={phase} />
    </>
  )
  const status = (
    <span className="small muted number">
      {phase === 'ended' ? t('common:game.ended') : t(`common:connection.${state}`)} ·{' '}
      {t('monitor:desk.asOf', { time: formatClock(desk.time) })}
    </span>
  )
  if (isWall)
    return (
      <Wall game={game} status={status} onClose={() => setIsWall(false)}>
        {board}
      </Wall>
    )
  return (
    <div className="stack">
      <div className="row row-between">
        {status}
        <span className="row gap-2">
          {phase === 'ended' && desk.hasCertificates && (
            <DownloadButton href={addressOfCall(ownOperations.downloadCertificates, { params: { id: game.id } })}>
              <Award aria-hidden />
              {t('monitor:desk.certificates')}
            </DownloadButton>
          )}
          <Button ref={toWall} onClick={() => setIsWall(true)}>
            <Maximize2 aria-hidden />
            {t('monitor:desk.wall')}
          </Button>
        </span>
      </div>
      {board}
    </div>
  )
}

type WallProps = Readonly<{
  game: GameDetail
  status: ReactNode
  onClose: () => void
  children: ReactNode
}>

/** Full screen mode. Escape or its only button closes it. */
function Wall({ game, status, onClose, children }: WallProps) {
  const { t } = useTranslation('monitor')
  const frame = useFullScreen(onClose)
  const phase = phaseOfGame(game, useNow())
  return createPortal(
    <div ref={frame} role="dialog" aria-modal="true" aria-label={t('desk.title')} className={styles.wall}>
      <header className={cx('line', styles.wallHead)}>
        <h2 className="truncate grow">{game.title}</h2>
        {status}
        <span className={cx('muted number', styles.clock)}>
          {phase === 'ended' ? t('desk.ended') : t(phase === 'upcoming' ? 'desk.startsIn' : 'desk.endsIn')}{' '}
          {phase !== 'ended' && (
            <Countdown until={phase === 'upcoming' ? game.start : game.end} className={`bright number ${styles.time}`} />
          )}
        </span>
        <Button variant="ghost" autoFocus aria-label={t('desk.leaveWall')} onClick={onClose}>
          <X aria-hidden />
        </Button>
      </header>
      {children}
    </div>,
    document.body,
  )
}

function DeskSkeleton() {
  const { t } = useTranslation('common')
  return (
    <div role="status" aria-label={t('loading')} className="stack gap-4">
      <div className={styles.strip}>
        {['submissions', 'starts', 'instances', 'clients'].map((each) => (
          <div key={each} className="stack gap-3 frame padded">
            <SkeletonLines count={3} />
          </div>
        ))}
      </div>
      <div className={styles.columns}>
        {['challenges', 'teams', 'feed'].map((each) => (
          <div key={each} className="stack gap-3 frame padded">
            <SkeletonLines count={10} />
          </div>
        ))}
      </div>
    </div>
  )
}
