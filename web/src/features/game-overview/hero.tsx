import type { GameDetail } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { GamePoster } from '../../components/poster.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Countdown } from '../../components/ui/time.tsx'
import { formatRelative, formatTimeRange } from '../../lib/format.ts'
import styles from './overview.module.css'

const tones = { running: 'ok', upcoming: 'brand', ended: 'neutral' } as const

type HeroProps = Readonly<{
  game: GameDetail
  phase: GamePhase
  children: ReactNode
}>

/** Title, summary and clock of a game on top of its poster. */
export function GameHero({ game, phase, children }: HeroProps) {
  const { t } = useTranslation(['games', 'common'])
  const until = phase === 'upcoming' ? game.start : game.end
  return (
    <header className="frame clip">
      <div className={styles.heroMain}>
        <GamePoster game={game} className={styles.poster} />
        <div className={cx('stack gap-3 start', styles.heroText)}>
          <Badge tone={tones[phase]}>{t(`common:game.phase.${phase}`)}</Badge>
          <h1 className={cx('wrap-anywhere', styles.title)}>{game.title}</h1>
          {game.summary && <p className={cx('muted size-16 wrap-anywhere bidi', styles.summary)}>{game.summary}</p>}
          <div className="stack gap-1 above-4">
            <span className="muted small">{t(`games:clock.${phase}`)}</span>
            {phase === 'ended' ? (
              <span className="strong size-20">{formatRelative(game.end)}</span>
            ) : (
              <Countdown until={until} className={`figure ${styles.clockTime}`} />
            )}
            <span className="muted small number">{formatTimeRange(game.start, game.end)}</span>
          </div>
        </div>
      </div>
      {children}
    </header>
  )
}
