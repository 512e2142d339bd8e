import type { GameDesk } from '@capstan/contract/desk'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import styles from './desk.module.css'
import { type FeedLine, feedOf } from './desk-figures.ts'
import { Tile } from './desk-tile.tsx'

/** What just happened that somebody may want to announce or look into. */
export function Feed({ desk }: { readonly desk: GameDesk }) {
  const { t } = useTranslation('monitor')
  const lines = feedOf(desk)
  return (
    <Tile title={t('desk.feed')}>
      {lines.length === 0 && <p className="muted">{t('desk.noBloods')}</p>}
      <ol className={styles.feed}>
        {lines.map((line) => (
          <Line key={`${line.kind} ${line.team} ${line.challenge} ${line.time}`} line={line} />
        ))}
      </ol>
    </Tile>
  )
}

function Line({ line }: { readonly line: FeedLine }) {
  const { t } = useTranslation('monitor')
  const { time, challenge } = line
  return (
    <li data-kind={line.kind}>
      {line.kind === 'blood' ? (
        <BloodMark place={bloodPlace(line.type) ?? 3} label={t(`desk.place.${line.type}`)} />
      ) : (
        <TriangleAlert role="img" aria-label={t('desk.suspicion')} />
      )}
      <span className={styles.feedText}>
        <bdi className="truncate">{line.team}</bdi>
        <bdi className="truncate small muted">
          {line.kind === 'blood' ? challenge : t('desk.flagOf', { owner: line.owner, challenge })}
        </bdi>
      </span>
      <RelativeTime at={time} />
    </li>
  )
}
