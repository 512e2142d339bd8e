import type { DeskChallenge, DeskMover, DeskStuck } from '@capstan/contract/desk'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { cx } from '../../components/ui/cx.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import styles from './desk.module.css'
import { DashboardTile } from './desk-tile.tsx'
import { LinkedName, useMonitorLinks } from './links.tsx'

/** Teams that gained the most points in the last hour. */
export function TopGainers({ gameId, movers }: Readonly<{ gameId: number; movers: readonly DeskMover[] }>) {
  const { t } = useTranslation('monitor')
  return (
    <DashboardTile title={t('desk.movers')} note={t('desk.lastHour')}>
      {movers.length === 0 && <p className="muted">{t('desk.noMovers')}</p>}
      <ol className={cx('aligned', styles.teams)}>
        {movers.map(({ teamId, team, rank, gained }) => (
          <li key={teamId} className="leads">
            <span className="muted number">
              <span className="visually-hidden">{t('desk.rank')} </span>
              {rank > 0 ? `#${formatNumber(rank)}` : '–'}
            </span>
            <span className="truncate">
              <LinkedName to={paths.monitorSubmissions.to(gameId, { team: teamId, status: 'Accepted' })}>{team}</LinkedName>
            </span>
            <span className={cx('number', styles.gained)}>+{formatNumber(gained)}</span>
          </li>
        ))}
      </ol>
    </DashboardTile>
  )
}

type StuckProps = Readonly<{
  gameId: number
  teams: readonly DeskStuck[]
  challenges: readonly DeskChallenge[]
}>

/** Teams that submit only wrong flags. Each name links to the submissions of the team. */
export function StuckTeams({ gameId, teams, challenges }: StuckProps) {
  const { t } = useTranslation('monitor')
  const links = useMonitorLinks(gameId)
  return (
    <DashboardTile title={t('desk.stuck')} note={t('desk.lastHour')}>
      {teams.length === 0 && <p className="muted">{t('desk.noStuck')}</p>}
      <ol className={cx('stack gap-2', styles.stuck)}>
        {teams.map(({ teamId, team, wrong, challenge, lastSolveAt }) => (
          <li key={teamId}>
            <span className="truncate">
              <LinkedName to={paths.monitorSubmissions.to(gameId, { team: teamId })}>{team}</LinkedName>
            </span>
            <span className="number">
              <Link to={paths.monitorSubmissions.to(gameId, { team: teamId, status: 'WrongAnswer' })}>
                {t('desk.wrong', { number: formatNumber(wrong) })}
              </Link>
            </span>
            <span className="truncate small muted">
              <LinkedName to={links.challengeTitled(challenge, challenges)}>{challenge}</LinkedName>
            </span>
            <span className="tiny muted">
              {lastSolveAt === null ? (
                t('desk.neverSolved')
              ) : (
                <>
                  {t('desk.lastSolve')} <RelativeTime at={lastSolveAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </DashboardTile>
  )
}
