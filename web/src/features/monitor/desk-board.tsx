import type { DeskBlood, GameDesk } from '@capstan/contract/desk'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber, formatPercent } from '../../lib/format.ts'
import styles from './desk.module.css'
import { Concerns } from './desk-concerns.tsx'
import { concernsOf, type HourFigures, hourOf, rightShare } from './desk-figures.ts'
import { MinuteBars } from './minute-bars.tsx'

interface DeskBoardProps {
  readonly gameId: number
  readonly desk: GameDesk
  readonly isAdmin: boolean
  /** This browser is connected, so at least one monitor watches, whatever was last counted. */
  readonly isLive: boolean
}

/** The state of a running game at a glance: what fails, how busy it is, what runs, who was first. */
export function DeskBoard({ gameId, desk, isAdmin, isLive }: DeskBoardProps) {
  const { t } = useTranslation('monitor')
  const { instances, connections } = desk
  const watching = Math.max(connections.monitors, isLive ? 1 : 0)
  const submissions = hourOf(desk.minutes, 'submissions')
  const starts = hourOf(desk.minutes, 'starts')
  const right = rightShare(desk.minutes)
  return (
    <div className={styles.board}>
      <Concerns gameId={gameId} concerns={concernsOf(desk)} isAdmin={isAdmin} />
      <div className={styles.rates}>
        <Rate
          title={t('desk.submissions')}
          hour={submissions}
          parts={hourOf(desk.minutes, 'accepted').counts}
          note={right === undefined ? undefined : t('desk.right', { share: formatPercent(right) })}
        />
        <Rate title={t('desk.starts')} hour={starts} />
      </div>
      <div className={styles.tiles}>
        <Tile title={t('desk.instances')}>
          <Figures
            figures={[
              { label: t('desk.failing'), value: instances.failing, tone: 'bad' },
              { label: t('desk.starting'), value: instances.starting, tone: 'warn' },
              { label: t('desk.running'), value: instances.running, tone: 'ok' },
              { label: t('desk.tests'), value: instances.tests },
            ]}
          />
        </Tile>
        <Tile title={t('desk.clients')}>
          <Figures
            figures={[
              { label: t('desk.players'), value: connections.players },
              { label: t('desk.monitors', { count: watching }), value: watching },
              { label: t('desk.proxied'), value: connections.proxied },
              { label: t('desk.gateways'), value: connections.gateways },
            ]}
          />
        </Tile>
        <Tile title={t('desk.bloods')}>
          {desk.bloods.length === 0 ? <p className="muted">{t('desk.noBloods')}</p> : <Bloods bloods={desk.bloods} />}
        </Tile>
      </div>
    </div>
  )
}

const Tile = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={styles.tile} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)

interface RateProps {
  readonly title: string
  readonly hour: HourFigures
  readonly parts?: readonly number[]
  readonly note?: string | undefined
}

function Rate({ title, hour, parts, note }: RateProps) {
  const { t } = useTranslation('monitor')
  const total = formatNumber(hour.total)
  return (
    <Tile title={title}>
      <p className={styles.rate}>
        <b>{formatNumber(hour.perMinute, { maximumFractionDigits: hour.perMinute < 10 ? 1 : 0 })}</b> {t('desk.perMinute')}
      </p>
      <MinuteBars
        label={t('desk.hour', { total, most: formatNumber(hour.most) })}
        counts={hour.counts}
        {...(parts && { parts })}
      />
      <p className={styles.axis}>
        <span>{t('desk.hourAgo')}</span>
        <span>
          {t('desk.total', { total })}
          {note && ` · ${note}`}
        </span>
        <span>{t('desk.now')}</span>
      </p>
    </Tile>
  )
}

interface FiguresProps {
  readonly figures: readonly {
    readonly label: string
    readonly value: number
    /** Color of a value above 0. */
    readonly tone?: 'ok' | 'warn' | 'bad'
  }[]
}

const Figures = ({ figures }: FiguresProps) => (
  <dl className={styles.figures}>
    {figures.map(({ label, value, tone }) => (
      <div key={label} data-tone={value > 0 ? tone : undefined}>
        <dt>{label}</dt>
        <dd>{formatNumber(value)}</dd>
      </div>
    ))}
  </dl>
)

function Bloods({ bloods }: { readonly bloods: readonly DeskBlood[] }) {
  const { t } = useTranslation('monitor')
  return (
    <ol className={styles.bloods}>
      {bloods.map(({ time, type, team, challenge }) => (
        <li key={`${challenge} ${type} ${time}`}>
          <BloodMark place={bloodPlace(type) ?? 3} label={t(`desk.place.${type}`)} />
          <bdi className="truncate">{team}</bdi>
          <bdi className="truncate muted">{challenge}</bdi>
          <RelativeTime at={time} />
        </li>
      ))}
    </ol>
  )
}
