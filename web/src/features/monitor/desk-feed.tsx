import type { GameDesk } from '@capstan/contract/desk'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { cx } from '../../components/ui/cx.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import { paths } from '../../lib/paths.ts'
import styles from './desk.module.css'
import { type FeedLine, mergeBloodsAndSuspicions } from './desk-figures.ts'
import { DashboardTile } from './desk-tile.tsx'
import { LinkedName, useMonitorLinks } from './links.tsx'

export function BloodAndSuspicionFeed({ gameId, desk }: Readonly<{ gameId: number; desk: GameDesk }>) {
  const links = useMonitorLinks(gameId)
  const { t } = useTranslation('monitor')
  const lines = mergeBloodsAndSuspicions(desk)
  return (
    <DashboardTile title={t('desk.feed')}>
      {lines.length === 0 && <p className="muted">{t('desk.noBloods')}</p>}
      <ol className={cx('stack gap-2', styles.feed)}>
        {lines.map((line) => (
          <Line
            key={`${line.kind} ${line.team} ${line.challenge} ${line.time}`}
            line={line}
            teamTo={paths.monitorSubmissions.to(gameId, { q: line.team })}
            challengeTo={links.challengeTitled(line.challenge, desk.challenges)}
          />
        ))}
      </ol>
    </DashboardTile>
  )
}

type LineProps = Readonly<{
  line: FeedLine
  teamTo: string
  challengeTo: string | undefined
}>

function Line({ line, teamTo, challengeTo }: LineProps) {
  const { t } = useTranslation('monitor')
  const { time, challenge } = line
  return (
    <li data-kind={line.kind}>
      {line.kind === 'blood' ? (
        <BloodMark place={bloodPlace(line.type) ?? 3} label={t(`desk.place.${line.type}`)} />
      ) : (
        <TriangleAlert role="img" aria-label={t('desk.suspicion')} />
      )}
      <span className="stack gap-0 tight">
        <span className="truncate">
          <LinkedName to={teamTo}>{line.team}</LinkedName>
        </span>
        <span className="truncate small muted">
          <LinkedName to={challengeTo}>
            {line.kind === 'blood' ? challenge : t('desk.flagOf', { owner: line.owner, challenge })}
          </LinkedName>
        </span>
      </span>
      <RelativeTime at={time} />
    </li>
  )
}
