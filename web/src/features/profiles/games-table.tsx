import type { ProfileGame } from '@capstan/contract/profiles'
import { Flag } from 'lucide-react'
import { Trans, useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { RelativeTime, useNow } from '../../components/ui/time.tsx'
import { formatDayRange, formatNumber } from '../../lib/format.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import styles from './profile.module.css'
import { gamesShown } from './reading.ts'

type GamesTableProps = Readonly<{
  kind: 'team' | 'player'
  games: readonly ProfileGame[]
  total: number
  page: number
  onPageChange: (page: number) => void
}>

export function GamesTable({ kind, games, total, page, onPageChange }: GamesTableProps) {
  const { t } = useTranslation('profiles')
  return (
    <div className="stack gap-3">
      <h2 className="size-16">{t('games.title')}</h2>
      {total === 0 ? (
        <div className="frame padded">
          <EmptyState icon={Flag} title={t('games.empty')}>
            {t('games.emptyText')}
          </EmptyState>
        </div>
      ) : (
        <Table label={t('games.title')} className={styles.games}>
          <thead>
            <tr>
              <th scope="col">{t('games.game')}</th>
              <th scope="col" className={tableEnd}>
                {t('games.rank')}
              </th>
              <th scope="col" className={tableEnd}>
                {t('games.points')}
              </th>
              <th scope="col" className={cx(tableEnd, 'hidden-on-phone')}>
                {t('games.solved')}
              </th>
              <th scope="col" className={cx(tableEnd, 'hidden-on-phone')}>
                {t('games.last')}
              </th>
            </tr>
          </thead>
          <tbody>
            {games.map((game) => (
              <GameRow key={`${game.id} ${game.team.id}`} game={game} withTeam={kind === 'player'} />
            ))}
          </tbody>
        </Table>
      )}
      {total > gamesShown && (
        <Pagination page={page} pageSize={gamesShown} total={total} itemsShown={games.length} onPageChange={onPageChange} />
      )}
    </div>
  )
}

function GameRow({ game, withTeam }: Readonly<{ game: ProfileGame; withTeam: boolean }>) {
  const { t } = useTranslation('profiles')
  const isRunning = phaseOfGame(game, useNow(30_000)) === 'running'
  const { standing, division, team } = game
  return (
    <tr>
      <th scope="row">
        <span className="stack gap-0">
          <span className="row gap-2">
            <Link to={paths.game.to(game.id)} className="wrap-anywhere">
              <bdi>{game.title}</bdi>
            </Link>
            {isRunning && <Badge tone="ok">{t('games.running')}</Badge>}
          </span>
          <span className={cx('muted small regular', styles.under)}>
            <span className="number">{formatDayRange(game.start, game.end)}</span>
            {withTeam && <bdi>{team.name}</bdi>}
            {division !== null && standing !== null && standing.divisionRank !== null && (
              <span>
                {t('games.inDivision', {
                  division,
                  rank: formatNumber(standing.divisionRank),
                  teams: formatNumber(standing.divisionTeams ?? standing.divisionRank),
                })}
              </span>
            )}
          </span>
        </span>
      </th>
      {standing === null ? (
        <>
          <td className={cx(tableEnd, 'faint small')} colSpan={2}>
            {t('games.open')}
          </td>
          <td className="hidden-on-phone" colSpan={2} />
        </>
      ) : (
        <>
          <td className={cx(tableEnd, 'muted')}>
            {standing.rank > 0 ? (
              <Trans
                t={t}
                i18nKey="games.of"
                values={{ rank: formatNumber(standing.rank), teams: formatNumber(standing.teams) }}
                components={{ what: <strong className="bright size-16" /> }}
              />
            ) : (
              '–'
            )}
          </td>
          <td className={tableEnd}>{formatNumber(standing.score)}</td>
          <td className={cx(tableEnd, 'hidden-on-phone')}>{formatNumber(standing.solved)}</td>
          <td className={cx(tableEnd, 'hidden-on-phone small muted')}>
            {standing.lastSolveTime === null ? (
              <span className="faint">{t('games.noSolve')}</span>
            ) : (
              <RelativeTime at={standing.lastSolveTime} />
            )}
          </td>
        </>
      )}
    </tr>
  )
}
