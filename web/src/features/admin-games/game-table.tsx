import type { AdminGame } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { EyeOff, Radar, SquareArrowOutUpRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { RelativeTime, useNow } from '../../components/ui/time.tsx'
import { Tooltip } from '../../components/ui/tooltip.tsx'
import { formatDateTime, formatDuration } from '../../lib/format.ts'
import { phaseOf } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import styles from './games.module.css'

const tones: Readonly<Record<GamePhase, BadgeTone>> = { upcoming: 'brand', running: 'ok', ended: 'neutral' }

const tabs = [
  ['info', paths.adminGameInfo.to],
  ['challenges', paths.adminGameChallenges.to],
  ['notices', paths.adminGameNotices.to],
  ['review', paths.adminGameReview.to],
  ['writeups', paths.adminGameWriteups.to],
] as const

export function GameTable({ games }: { readonly games: readonly AdminGame[] }) {
  const { t } = useTranslation('admin-games')
  return (
    <Table label={t('table')} listOnPhone className={styles.games}>
      <thead>
        <tr>
          <th scope="col">{t('column.game')}</th>
          <th scope="col">{t('column.state')}</th>
          <th scope="col">{t('column.time')}</th>
          <th scope="col">{t('column.manage')}</th>
          <th scope="col" className={tableEnd}>
            <span className="visually-hidden">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {games.map((game) => (
          <GameRow key={game.id} game={game} />
        ))}
      </tbody>
    </Table>
  )
}

function GameRow({ game }: { readonly game: AdminGame }) {
  const { t } = useTranslation(['admin-games', 'common'])
  const now = useNow(10_000)
  const phase = phaseOf(game, now)
  const next = phase === 'upcoming' ? game.start : game.end
  const nextLabel = { upcoming: 'startsIn', running: 'ends', ended: 'ended' } as const
  const title = { title: game.title }
  return (
    <tr>
      <th scope="row">
        <span className={styles.game}>
          {game.poster ? (
            <img src={game.poster} alt="" className={styles.poster} />
          ) : (
            <span className={styles.poster} aria-hidden />
          )}
          <span className={styles.names}>
            <Link to={paths.adminGameInfo.to(game.id)} className={styles.title}>
              {game.title}
            </Link>
            {game.summary && <span className={styles.summary}>{game.summary}</span>}
          </span>
        </span>
      </th>
      <td data-label={t('admin-games:column.state')}>
        <span className={styles.badges}>
          <Badge tone={tones[phase]}>{t(`common:game.phase.${phase}`)}</Badge>
          {game.hidden && (
            <Badge>
              <EyeOff aria-hidden />
              {t('admin-games:hidden')}
            </Badge>
          )}
        </span>
      </td>
      <td data-label={t('admin-games:column.time')}>
        <span className={styles.time}>
          <span>
            {t(`admin-games:${nextLabel[phase]}`)} <RelativeTime at={next} />
          </span>
          <span className="tiny muted number">
            {formatDateTime(game.start)}
            <span className={styles.lasts}>
              {' · '}
              {t('admin-games:lasts', { duration: formatDuration(Date.parse(game.end) - Date.parse(game.start)) })}
            </span>
          </span>
        </span>
      </td>
      <td>
        <nav className={styles.tabs} aria-label={t('admin-games:manage', title)}>
          {tabs.map(([tab, to]) => (
            <Link key={tab} to={to(game.id)}>
              {t(`admin-games:tab.${tab}`)}
            </Link>
          ))}
        </nav>
      </td>
      <td className={tableEnd}>
        <span className={styles.actions}>
          {phase !== 'upcoming' && (
            <Tooltip content={t('admin-games:monitor', title)}>
              <ButtonLink
                variant="ghost"
                size="small"
                to={paths.monitor.to(game.id)}
                aria-label={t('admin-games:monitor', title)}
              >
                <Radar aria-hidden />
              </ButtonLink>
            </Tooltip>
          )}
          <Tooltip content={t('admin-games:open', title)}>
            <ButtonLink variant="ghost" size="small" to={paths.game.to(game.id)} aria-label={t('admin-games:open', title)}>
              <SquareArrowOutUpRight aria-hidden />
            </ButtonLink>
          </Tooltip>
        </span>
      </td>
    </tr>
  )
}
