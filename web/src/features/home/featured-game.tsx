import type { GameSummary } from '@capstan/contract/games'
import type { GamePhase } from '@capstan/contract/phases'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GamePoster } from '../../components/poster.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Countdown } from '../../components/ui/time.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import styles from './home.module.css'

/** Running or upcoming game with its countdown. */
export function FeaturedGame({ game, phase }: { readonly game: GameSummary; readonly phase: Exclude<GamePhase, 'ended'> }) {
  const { t } = useTranslation(['home', 'common'])
  const until = phase === 'running' ? game.end : game.start
  return (
    <Link to={paths.game.to(game.id)} className={styles.feature}>
      <span className={styles.poster}>
        <GamePoster game={game} />
      </span>
      <span className={styles.featureBody}>
        <span className="row row-between gap-2">
          <Badge tone={phase === 'running' ? 'ok' : 'brand'}>{t(`common:game.phase.${phase}`)}</Badge>
          <span className="tiny faint">{game.limit > 0 ? t('home:teamSize', { count: game.limit }) : t('home:anyTeamSize')}</span>
        </span>
        <h3 className="clamp clamp-3 wrap-anywhere">{game.title}</h3>
        <span className="bidi clamp muted">{game.summary}</span>
        <span className={styles.clock}>
          {phase === 'running' ? t('home:endsIn') : t('home:startsIn')}
          <Countdown until={until} className={styles.time ?? ''} />
          <span className="faint">{formatDateTime(until)}</span>
        </span>
      </span>
    </Link>
  )
}
