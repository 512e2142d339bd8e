import type { GameSummary } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { registrationState } from '@capstan/contract/registration'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GamePoster } from '../../components/poster.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { useGame } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import styles from './home.module.css'

type FeaturedGameProps = Readonly<{
  game: GameSummary
  phase: Exclude<GamePhase, 'ended'>
  /** True to show a link for joining the game while registration is open. */
  canJoin?: boolean
}>

/** Running or upcoming game with its countdown. */
export function FeaturedGame({ game, phase, canJoin }: FeaturedGameProps) {
  const { t } = useTranslation(['home', 'common'])
  const until = phase === 'running' ? game.end : game.start
  return (
    <article className={cx('frame clip clickable', styles.feature)} aria-labelledby={`game-${game.id}`}>
      <span className={styles.poster}>
        <GamePoster game={game} />
      </span>
      <div className={cx('stack gap-2', styles.featureBody)}>
        <span className="row row-between gap-2">
          <Badge tone={phase === 'running' ? 'ok' : 'brand'}>{t(`common:game.phase.${phase}`)}</Badge>
          <span className="tiny faint">{game.limit > 0 ? t('home:teamSize', { count: game.limit }) : t('home:anyTeamSize')}</span>
        </span>
        <h3 id={`game-${game.id}`} className="clamp clamp-3 wrap-anywhere">
          <Link to={paths.game.to(game.id)} className="cover">
            {game.title}
          </Link>
        </h3>
        <span className="bidi clamp muted">{game.summary}</span>
        <div className={cx('row row-between', styles.featureEnd)}>
          <span className="row baseline gap-2 muted small">
            {phase === 'running' ? t('home:endsIn') : t('home:startsIn')}
            <Countdown until={until} className="figure size-20 bright" />
            <span className="faint">{formatDateTime(until)}</span>
          </span>
          {canJoin && <JoinLink gameId={game.id} />}
        </div>
      </div>
    </article>
  )
}

/** Link to the page where the player can join. It is absent if the player has asked to join, or if registration is not open. */
function JoinLink({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('home')
  const now = useNow(30_000)
  const { data: game, error } = useGame(gameId)
  if (!game) return error ? null : <Skeleton width="110px" height="36px" />
  const registration = registrationState({ opens: game.registrationOpens ?? null, closes: game.registrationCloses ?? null }, now)
  if (game.status !== 'Unsubmitted' || registration !== 'open') return null
  return (
    <ButtonLink variant="primary" to={paths.game.to(gameId)} aria-describedby={`game-${gameId}`}>
      {t('join')}
    </ButtonLink>
  )
}
