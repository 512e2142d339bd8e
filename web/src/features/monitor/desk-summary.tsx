import type { DeskChallenge, DeskSummary } from '@capstan/contract/desk'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import styles from './desk.module.css'
import { Tile } from './desk-tile.tsx'

interface SummaryProps {
  readonly summary: DeskSummary
  readonly challenges: readonly DeskChallenge[]
  /** Detected in the whole game. */
  readonly cheats: number
}

/** What the game was like, once it is over. */
export function Summary({ summary, challenges, cheats }: SummaryProps) {
  const { t } = useTranslation('monitor')
  const { teams, scored, solves, leaders } = summary
  const unsolved = challenges.filter(({ solved }) => solved === 0)
  const figures = [
    { label: t('desk.summary.teams'), value: teams, note: t('desk.summary.scored', { number: formatNumber(scored) }) },
    { label: t('desk.summary.solves'), value: solves },
    {
      label: t('desk.summary.challenges'),
      value: challenges.length,
      note: t('desk.summary.unsolved', { number: formatNumber(unsolved.length) }),
    },
    { label: t('event.kind.cheats'), value: cheats },
  ]
  return (
    <div className={styles.summary}>
      <Tile title={t('desk.summary.title')}>
        <dl className={styles.figures}>
          {figures.map(({ label, value, note }) => (
            <div key={label}>
              <dt>
                {label}
                {note && <span className="tiny"> · {note}</span>}
              </dt>
              <dd>{formatNumber(value)}</dd>
            </div>
          ))}
        </dl>
      </Tile>
      <Tile title={t('desk.summary.leaders')}>
        {leaders.length === 0 && <p className="muted">{t('desk.summary.nobody')}</p>}
        <ol className={styles.teams}>
          {leaders.map(({ teamId, team, rank, score }) => (
            <li key={teamId}>
              <span className={styles.rank}>#{formatNumber(rank)}</span>
              <bdi className="truncate">{team}</bdi>
              <span className="number">{formatNumber(score)}</span>
            </li>
          ))}
        </ol>
      </Tile>
      <Tile title={t('desk.summary.never')}>
        <p className={unsolved.length === 0 ? 'muted' : 'wrap-anywhere'}>
          {unsolved.length > 0
            ? unsolved.map(({ title }) => title).join(' · ')
            : t(challenges.length === 0 ? 'desk.noChallenges' : 'desk.summary.allSolved')}
        </p>
      </Tile>
    </div>
  )
}
