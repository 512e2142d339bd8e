import type { DeskChallenge, DeskSummary } from '@capstan/contract/desk'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { formatNumber } from '../../lib/format.ts'
import { isolateDirection } from '../../lib/i18n.ts'
import { paths } from '../../lib/paths.ts'
import styles from './desk.module.css'
import { DashboardTile } from './desk-tile.tsx'
import { LinkedName } from './links.tsx'

type SummaryProps = Readonly<{
  gameId: number
  summary: DeskSummary
  challenges: readonly DeskChallenge[]
  cheats: number
}>

export function FinishedGameSummary({ gameId, summary, challenges, cheats }: SummaryProps) {
  const { t } = useTranslation('monitor')
  const { teams, scored, solves, leaders } = summary
  const unsolved = challenges.filter(({ solved }) => solved === 0)
  const figures: readonly Readonly<{ label: string; value: number; note?: string; to?: string }>[] = [
    { label: t('desk.summary.teams'), value: teams, note: t('desk.summary.scored', { number: formatNumber(scored) }) },
    { label: t('desk.summary.solves'), value: solves, to: paths.monitorSubmissions.to(gameId, { status: 'Accepted' }) },
    {
      label: t('desk.summary.challenges'),
      value: challenges.length,
      note: t('desk.summary.unsolved', { number: formatNumber(unsolved.length) }),
    },
    { label: t('event.kind.cheats'), value: cheats, to: paths.monitorCheatInfo.to(gameId) },
  ]
  return (
    <div className={styles.summary}>
      <DashboardTile title={t('desk.summary.title')}>
        <NamedValueList kind="figures" className={styles.figures}>
          {figures.map(({ label, value, note, to }) => (
            <NamedValue
              key={label}
              name={
                <>
                  {label}
                  {note && <span className="tiny"> · {note}</span>}
                </>
              }
            >
              {to ? (
                <Link to={to} className="cover">
                  {formatNumber(value)}
                </Link>
              ) : (
                formatNumber(value)
              )}
            </NamedValue>
          ))}
        </NamedValueList>
      </DashboardTile>
      <DashboardTile title={t('desk.summary.leaders')}>
        {leaders.length === 0 && <p className="muted">{t('desk.summary.nobody')}</p>}
        <ol className={cx('aligned', styles.teams)}>
          {leaders.map(({ teamId, team, rank, score }) => (
            <li key={teamId} className="leads">
              <span className="muted number">#{formatNumber(rank)}</span>
              <span className="truncate">
                <LinkedName to={paths.monitorSubmissions.to(gameId, { team: teamId })}>{team}</LinkedName>
              </span>
              <span className="number">{formatNumber(score)}</span>
            </li>
          ))}
        </ol>
      </DashboardTile>
      <DashboardTile title={t('desk.summary.never')}>
        <p className={unsolved.length === 0 ? 'muted' : 'wrap-anywhere'}>
          {unsolved.length > 0
            ? unsolved.map(({ title }) => isolateDirection(title)).join(' · ')
            : t(challenges.length === 0 ? 'desk.noChallenges' : 'desk.summary.allSolved')}
        </p>
      </DashboardTile>
    </div>
  )
}
