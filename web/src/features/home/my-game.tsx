import type { GameSummary } from '@capstan/contract/games'
import { availablePoints } from '@capstan/contract/score'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { ArrowRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { ProgressWheel } from '../../components/wheel.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useGame, usePlayerBoard } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import { FeaturedGame } from './featured-game.tsx'
import styles from './home.module.css'
import { listChallengesToSolveNext } from './next-to-solve.ts'
import { RunningInstances } from './running-instances.tsx'

/** Running game of the player, with the team's standing and the next step. */
export function MyGame({ game }: { readonly game: GameSummary }) {
  const { t } = useTranslation(['home', 'common'])
  const now = useNow()
  const { data: detail, error } = useGame(game.id)
  const { data: board } = usePlayerBoard(detail, now)
  // The team may have been suspended since the page read the list.
  if (detail ? detail.status !== 'Accepted' : error) return <FeaturedGame game={game} phase="running" />
  return (
    <article className={cx('stack frame', styles.mine)} aria-labelledby={`game-${game.id}`}>
      <div className={cx('row start gap-6', styles.mineHead)}>
        <span className={styles.wheel}>
          <ProgressWheel
            size={44}
            share={board && board.challengeCount > 0 ? (board.rank?.solvedCount ?? 0) / board.challengeCount : 0}
          />
        </span>
        <div className="grow stack gap-1">
          <h3 id={`game-${game.id}`} className="size-20 wrap-anywhere">
            <Link to={paths.game.to(game.id)} className="alone quiet">
              {game.title}
            </Link>
          </h3>
          <span className="row gap-2 muted small">
            <Badge tone="ok">{t('common:game.phase.running')}</Badge>
            <bdi>{detail?.teamName}</bdi>
          </span>
        </div>
        <span className="stack gap-0 muted small">
          {t('home:endsIn')}
          <Countdown until={game.end} className="figure size-20 bright" />
        </span>
      </div>
      {board ? <Standing board={board} /> : <Skeleton height="58px" />}
      <RunningInstances gameId={game.id} />
      {board && <Next gameId={game.id} board={board} />}
      {!board && <Skeleton height="128px" />}
      <div className="row gap-2 row-end">
        <ButtonLink to={paths.scoreboard.to(game.id)}>{t('common:game.scoreboard')}</ButtonLink>
        <ButtonLink variant="primary" to={paths.challenges.to(game.id)}>
          {t('home:mine.continue')}
          <ArrowRight aria-hidden />
        </ButtonLink>
      </div>
    </article>
  )
}

function Standing({ board: { rank: standing, challengeCount } }: { readonly board: PlayerBoard }) {
  const { t } = useTranslation(['home', 'common'])
  const solved = standing?.solvedCount ?? 0
  return (
    <NamedValueList kind="figures">
      <NamedValue name={t('common:game.rank')}>{standing && standing.rank > 0 ? formatNumber(standing.rank) : '–'}</NamedValue>
      <NamedValue name={t('home:mine.score')}>{formatNumber(standing?.score ?? 0)}</NamedValue>
      <NamedValue name={t('home:mine.solved')}>
        {formatNumber(solved)}
        <small>/{formatNumber(challengeCount)}</small>
      </NamedValue>
    </NamedValueList>
  )
}

function Next({ gameId, board }: Readonly<{ gameId: number; board: PlayerBoard }>) {
  const { t } = useTranslation('home')
  const next = listChallengesToSolveNext(board, 3)
  if (next.length === 0) return <p className="muted">{board.challengeCount > 0 ? t('mine.allSolved') : t('mine.noChallenges')}</p>
  return (
    <section className="stack gap-2" aria-labelledby={`next-${gameId} game-${gameId}`}>
      <h4 id={`next-${gameId}`} className="muted small medium">
        {t('mine.next')}
      </h4>
      <ul className="frame clip divided small">
        {next.map((challenge) => (
          <li key={challenge.id}>
            <Link to={paths.challenges.to(gameId, challenge.id)} className="line gap-3 entry">
              <bdi className="grow truncate medium">{challenge.title}</bdi>
              <span className="faint">{challenge.category}</span>
              <b className="number nowrap">{t('mine.points', { count: availablePoints(challenge) })}</b>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
