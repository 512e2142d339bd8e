import type { GamePhase } from '@capstan/contract/phases'
import type { ListedGame } from '@capstan/contract/readiness'
import { Copy, EyeOff, Radar, SquareArrowOutUpRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GamePoster } from '../../components/poster.tsx'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { ButtonLink, IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, RowNameCell } from '../../components/ui/data-table.tsx'
import { RelativeTime, useNow } from '../../components/ui/time.tsx'
import { Tooltip } from '../../components/ui/tooltip.tsx'
import { countOpenSteps } from '../../lib/before-start.ts'
import { formatDateTime, formatDuration } from '../../lib/format.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import styles from './games.module.css'

const tones: Readonly<Record<GamePhase, BadgeTone>> = { upcoming: 'brand', running: 'ok', ended: 'neutral' }

const nextLabels = { upcoming: 'startsIn', running: 'ends', ended: 'ended' } as const

export const gameTable = { keyOf: ({ id }: ListedGame) => id, className: styles.games, loadingRows: 5 }

export function useGameColumns(onClone: (game: ListedGame) => void): readonly Column<ListedGame>[] {
  const { t } = useTranslation(['admin-games', 'admin', 'common'])
  const now = useNow(10_000)
  return [
    {
      head: t('column.game'),
      sort: 'title',
      kind: 'name',
      bare: true,
      cell: ({ id, title, summary, poster }) => (
        <RowNameCell
          lead={<GamePoster game={{ title, poster }} className={styles.poster} isLazy />}
          note={summary}
          to={paths.adminGameInfo.to(id)}
        >
          {title}
        </RowNameCell>
      ),
      loadingWidth: '70%',
    },
    {
      head: t('column.state'),
      sort: 'end',
      cell: (game) => {
        const phase = phaseOfGame(game, now)
        const left = phase === 'upcoming' && game.challenges ? countOpenSteps(game, game.challenges) : 0
        return (
          <span className="row gap-1">
            <Badge tone={tones[phase]}>{t(`common:game.phase.${phase}`)}</Badge>
            {game.hidden && (
              <Badge>
                <EyeOff aria-hidden />
                {t('hidden')}
              </Badge>
            )}
            {left > 0 && (
              <Link className={cx('muted tiny', styles.left)} to={paths.adminGameInfo.to(game.id)}>
                {t('admin:beforeStart.listed', { count: left })}
              </Link>
            )}
          </span>
        )
      },
      loadingWidth: '64px',
    },
    {
      head: t('column.time'),
      sort: 'start',
      cell: (game) => {
        const phase = phaseOfGame(game, now)
        return (
          <span className="stack gap-0 tight nowrap">
            <span>
              {t(nextLabels[phase])} <RelativeTime at={phase === 'upcoming' ? game.start : game.end} />
            </span>
            <span className="tiny muted number">
              {formatDateTime(game.start)}
              <span className={styles.lasts}>
                {' · '}
                {t('lasts', { duration: formatDuration(Date.parse(game.end) - Date.parse(game.start)) })}
              </span>
            </span>
          </span>
        )
      },
      loadingWidth: '60%',
    },
    {
      head: t('column.actions'),
      kind: 'actions',
      cell: (game) => (
        <>
          <IconButton size="small" label={t('clone.action', { title: game.title })} onClick={() => onClone(game)}>
            <Copy />
          </IconButton>
          {phaseOfGame(game, now) !== 'upcoming' && (
            <IconLink label={t('monitor', { title: game.title })} to={paths.monitor.to(game.id)} icon={<Radar aria-hidden />} />
          )}
          <IconLink
            label={t('open', { title: game.title })}
            to={paths.game.to(game.id)}
            icon={<SquareArrowOutUpRight aria-hidden />}
          />
        </>
      ),
      loadingWidth: '40px',
    },
  ]
}

function IconLink({ label, to, icon }: Readonly<{ label: string; to: string; icon: ReactNode }>) {
  return (
    <Tooltip content={label}>
      <ButtonLink variant="ghost" size="small" to={to} aria-label={label}>
        {icon}
      </ButtonLink>
    </Tooltip>
  )
}
