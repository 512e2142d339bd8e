import type { GameDesk } from '@capstan/contract/desk'
import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { formatNumber, formatPercent } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { BeforeStartNote } from './before-start.tsx'
import styles from './desk.module.css'
import { ChallengeBars } from './desk-challenges.tsx'
import { ConcernList } from './desk-concerns.tsx'
import { BloodAndSuspicionFeed } from './desk-feed.tsx'
import { type HourFigures, listConcerns, shareOfCorrectSubmissions, summarizeLastHour } from './desk-figures.ts'
import { DeskInstances } from './desk-instances.tsx'
import { DeskStandings } from './desk-standings.tsx'
import { FinishedGameSummary } from './desk-summary.tsx'
import { StuckTeams, TopGainers } from './desk-teams.tsx'
import { DashboardTile } from './desk-tile.tsx'
import { MinuteBars } from './minute-bars.tsx'

type DeskBoardProps = Readonly<{
  game: GameDetail
  desk: GameDesk
  isAdmin: boolean
  isLive: boolean
  /** Phase of the game. Before the start of the game, the page shows an explanation. After the end, it shows a summary. */
  phase: GamePhase
}>

/** Overview of a game: failures, activity, suspicious challenges and teams, and the latest events. */
export function MonitorDashboard({ game, desk, isAdmin, isLive, phase }: DeskBoardProps) {
  const { t } = useTranslation('monitor')
  const { challenges, movers, stuck, summary } = desk
  const gameId = game.id
  const isOver = phase === 'ended'
  const concerns = (
    <ConcernList gameId={gameId} concerns={listConcerns(desk, isLive)} isAdmin={isAdmin} isRunning={phase === 'running'} />
  )
  if (phase === 'upcoming')
    return (
      <div className="stack gap-4">
        {concerns}
        <BeforeStartNote start={game.start}>{t('desk.beforeStart')}</BeforeStartNote>
        <div className={styles.strip}>
          <Entered desk={desk} />
          <Present desk={desk} isLive={isLive} />
        </div>
      </div>
    )
  return (
    <div className="stack gap-4">
      {concerns}
      {isOver ? (
        <FinishedGameSummary gameId={gameId} summary={summary} challenges={challenges} cheats={desk.cheats.total} />
      ) : (
        <Now gameId={gameId} desk={desk} isLive={isLive} />
      )}
      <div className={styles.columns} data-over={isOver || undefined}>
        <ChallengeBars gameId={gameId} challenges={challenges} teamCount={summary.teams} isAdmin={isAdmin} isOver={isOver} />
        {!isOver && (
          <div className="stack gap-4">
            <TopGainers gameId={gameId} movers={movers} />
            <StuckTeams gameId={gameId} teams={stuck} challenges={challenges} />
          </div>
        )}
        <BloodAndSuspicionFeed gameId={gameId} desk={desk} />
      </div>
      <DeskStandings game={game} />
      <DeskInstances gameId={gameId} />
    </div>
  )
}

function Now({ gameId, desk, isLive }: Pick<DeskBoardProps, 'desk' | 'isLive'> & { readonly gameId: number }) {
  const { t } = useTranslation('monitor')
  const right = shareOfCorrectSubmissions(desk.minutes)
  return (
    <div className={styles.strip}>
      <Rate
        title={t('desk.submissions')}
        to={paths.monitorSubmissions.to(gameId)}
        hour={summarizeLastHour(desk.minutes, 'submissions')}
        parts={summarizeLastHour(desk.minutes, 'accepted').counts}
        note={right === undefined ? undefined : t('desk.right', { share: formatPercent(right) })}
      />
      <Rate
        title={t('desk.starts')}
        to={paths.monitorEvents.to(gameId, { kind: 'instances' })}
        hour={summarizeLastHour(desk.minutes, 'starts')}
      />
      <Present desk={desk} isLive={isLive} />
    </div>
  )
}

function Entered({ desk }: Pick<DeskBoardProps, 'desk'>) {
  const { t } = useTranslation('monitor')
  return (
    <DashboardTile title={t('desk.entered')}>
      <Figures
        figures={[
          { label: t('desk.accepted', { count: desk.summary.teams }), value: desk.summary.teams },
          { label: t('desk.enabled', { count: desk.challenges.length }), value: desk.challenges.length },
        ]}
      />
    </DashboardTile>
  )
}

/** Tile with the numbers of running instances and of connected users. */
function Present({ desk, isLive }: Pick<DeskBoardProps, 'desk' | 'isLive'>) {
  const { t } = useTranslation('monitor')
  const { instances, connections } = desk
  const watching = Math.max(connections.monitors, isLive ? 1 : 0)
  return (
    <>
      <DashboardTile title={t('desk.instances')}>
        <Figures
          figures={[
            { label: t('desk.failing'), value: instances.failing, tone: 'bad' },
            { label: t('desk.starting'), value: instances.starting, tone: 'warn' },
            { label: t('desk.running'), value: instances.running, tone: 'ok' },
            { label: t('desk.tests'), value: instances.tests },
          ]}
        />
      </DashboardTile>
      <DashboardTile title={t('desk.clients')}>
        <Figures
          figures={[
            { label: t('desk.players'), value: connections.players },
            { label: t('desk.monitors', { count: watching }), value: watching },
            { label: t('desk.proxied'), value: connections.proxied },
          ]}
        />
      </DashboardTile>
    </>
  )
}

type RateProps = Readonly<{
  title: string
  hour: HourFigures
  parts?: readonly number[]
  note?: string | undefined
  to: string
}>

function Rate({ title, hour, parts, note, to }: RateProps) {
  const { t } = useTranslation('monitor')
  const total = formatNumber(hour.total)
  return (
    <DashboardTile title={title}>
      <div className={cx('line gap-4', styles.rateLine)}>
        <p className={cx('muted number', styles.rate)}>
          <b className="bright size-32">{formatNumber(hour.perMinute, { maximumFractionDigits: hour.perMinute < 10 ? 1 : 0 })}</b>{' '}
          <span title={t('desk.perMinute')}>{t('desk.perMinuteShort')}</span>
        </p>
        <MinuteBars
          label={t('desk.hour', { total, most: formatNumber(hour.most) })}
          counts={hour.counts}
          {...(parts && { parts })}
        />
      </div>
      <p className={cx('row muted tiny number', styles.axis)}>
        <Link to={to}>{t('desk.total', { total })}</Link>
        {note && <span>· {note}</span>}
      </p>
    </DashboardTile>
  )
}

type FiguresProps = Readonly<{
  figures: readonly Readonly<{
    label: string
    value: number
    /** Color of the number if the number is positive. */
    tone?: 'ok' | 'warn' | 'bad'
  }>[]
}>

function Figures({ figures }: FiguresProps) {
  return (
    <NamedValueList kind="figures" className={styles.figures}>
      {figures.map(({ label, value, tone }) => (
        <NamedValue key={label} name={label} tone={value > 0 ? tone : undefined}>
          {formatNumber(value)}
        </NamedValue>
      ))}
    </NamedValueList>
  )
}
