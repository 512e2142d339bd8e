import type { GameSummary } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { CalendarDays, UsersRound } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GamePoster } from '../../components/poster.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Countdown } from '../../components/ui/time.tsx'
import { formatRelative, formatTimeRange } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import styles from './games.module.css'

const tones = { running: 'ok', upcoming: 'brand', ended: 'neutral' } as const

type GameCardProps = Readonly<{
  game: GameSummary
  phase: GamePhase
}>

export function GameCard({ game, phase }: GameCardProps) {
  const { t } = useTranslation(['games', 'common'])
  return (
    <li className="stack gap-0 frame clip clickable" data-phase={phase}>
      <div className={styles.poster}>
        <GamePoster game={game} isLazy />
      </div>
      <div className={cx('stack gap-2', styles.body)}>
        <div className="row gap-1 row-between">
          <Badge tone={tones[phase]}>{t(`common:game.phase.${phase}`)}</Badge>
          <span className="muted small">
            {phase === 'ended' ? (
              formatRelative(game.end)
            ) : (
              <>
                {t(phase === 'running' ? 'games:endsIn' : 'games:startsIn')}{' '}
                <Countdown until={phase === 'running' ? game.end : game.start} className="bright strong number" />
              </>
            )}
          </span>
        </div>
        <h2 className="clamp clamp-3 wrap-anywhere">
          <Link to={paths.game.to(game.id)} className="cover" data-game>
            {game.title}
          </Link>
        </h2>
        {game.summary && phase !== 'ended' && <p className="bidi clamp clamp-3 muted wrap-anywhere">{game.summary}</p>}
        <div className={cx('stack gap-1 muted small number', styles.facts)}>
          <span className="line">
            <CalendarDays aria-hidden />
            {formatTimeRange(game.start, game.end)}
          </span>
          {phase !== 'ended' && (
            <span className="line">
              <UsersRound aria-hidden />
              {game.limit > 0 ? t('games:teamSize', { count: game.limit }) : t('games:anyTeamSize')}
            </span>
          )}
        </div>
      </div>
    </li>
  )
}
