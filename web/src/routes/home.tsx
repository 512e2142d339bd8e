import type { GameSummary } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { Flag, Newspaper } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { PageLayout } from '../components/layout/page.tsx'
import { cx } from '../components/ui/cx.ts'
import { Skeleton } from '../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../components/ui/states.tsx'
import { useNow } from '../components/ui/time.tsx'
import { FeaturedGame } from '../features/home/featured-game.tsx'
import styles from '../features/home/home.module.css'
import { LatestPosts, PastGames } from '../features/home/lists.tsx'
import { MyGame } from '../features/home/my-game.tsx'
import { WelcomeSection } from '../features/home/welcome.tsx'
import { useConfig } from '../lib/config.ts'
import { phaseOfGame } from '../lib/game.ts'
import { paths } from '../lib/paths.ts'
import { useCall } from '../lib/server-state.ts'
import { useSession } from '../lib/session.ts'

export function Route() {
  const { title } = useConfig()
  const { state, error } = useSession()
  const { t } = useTranslation('home')
  const visitor = state === 'visitor'
  const waiting = state === 'unknown' && !error
  const now = useNow(30_000)
  const { data: games, error: noGames } = useCall(ownOperations.listAllGames)
  const stage = visitor ? stageOf(games ?? [], now) : undefined
  return (
    <PageLayout width="wide" title={visitor ? t('title') : title} hideTitle headingBelow={visitor}>
      {visitor && <WelcomeSection stage={stage} isStageUnknown={!games && !noGames} />}
      <div className={cx(styles.columns, waiting && styles.waiting)} aria-busy={waiting || undefined}>
        <Games />
        <Posts />
      </div>
    </PageLayout>
  )
}

/** Returns the running game that ends first, or else the upcoming game that starts first. */
function stageOf(games: readonly GameSummary[], now: number) {
  const first = (phase: 'running' | 'upcoming', time: 'end' | 'start') => {
    const [game] = games
      .filter((each) => phaseOfGame(each, now) === phase)
      .toSorted((one, other) => Date.parse(one[time]) - Date.parse(other[time]))
    return game && { game, phase }
  }
  return first('running', 'end') ?? first('upcoming', 'start')
}

/**
 * Maximum number of games for which the page shows the standing and next challenges, or an offer to join. Each of these games
 * needs additional calls.
 */
const maxDetailed = 6
/** Maximum number of past games on this page. The games page lists all past games. */
const maxEnded = 6
/** Maximum number of upcoming games on this page. The games page lists all upcoming games. */
const maxUpcoming = 10

function Games() {
  const { t } = useTranslation('home')
  const { state, role } = useSession()
  const own = useCall(ownOperations.listOwnGames, state === 'user' ? {} : null)
  const { data: games, error, mutate } = useCall(ownOperations.listAllGames)
  const now = useNow()
  const isOwnUnknown = state === 'user' && !own.data && !own.error
  if (!games || isOwnUnknown) {
    if (!games && error) return <ErrorState error={error} onRetry={() => mutate()} />
    return (
      <section className="stack gap-4" aria-hidden>
        <Skeleton width="140px" height="24px" />
        <Skeleton height="172px" />
        <Skeleton height="172px" />
      </section>
    )
  }
  const mine = new Set(own.data)
  const running = games
    .filter((game) => phaseOfGame(game, now) === 'running')
    .toSorted((one, other) => Number(mine.has(other.id)) - Number(mine.has(one.id)))
  const detailed = running.slice(0, maxDetailed).filter(({ id }) => mine.has(id))
  const upcoming = games
    .filter((game) => phaseOfGame(game, now) === 'upcoming')
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start))
    .slice(0, maxUpcoming)
  // Players who play no game yet get a link for joining each of these games.
  const joinable =
    own.data?.length === 0 && !hasRole(role, 'Admin') ? (running.length > 0 ? running : upcoming).slice(0, maxDetailed) : []
  const ended = games.filter((game) => phaseOfGame(game, now) === 'ended')
  const next = upcoming.length > 0 && (
    <section className="stack gap-4">
      <h2>{t('next')}</h2>
      {upcoming.map((game) => (
        <FeaturedGame key={game.id} game={game} phase="upcoming" canJoin={joinable.includes(game)} />
      ))}
    </section>
  )
  if (games.length === 0)
    return (
      <EmptyState icon={Flag} title={t('noGames')}>
        {t('noGamesText')}
      </EmptyState>
    )
  return (
    <>
      <div className={cx('stack gap-8', styles.now)}>
        {running.length > 0 && (
          <section className="stack gap-4">
            <h2>{t('running')}</h2>
            {running.map((game) =>
              detailed.includes(game) ? (
                <MyGame key={game.id} game={game} />
              ) : (
                <FeaturedGame key={game.id} game={game} phase="running" canJoin={joinable.includes(game)} />
              ),
            )}
          </section>
        )}
        {running.length === 0 && next}
      </div>
      <div className={cx('stack gap-8', styles.later)}>
        {running.length > 0 && next}
        {ended.length > 0 && (
          <section className="stack gap-4">
            <div className="line gap-3 row-between baseline">
              <h2>{t('recent')}</h2>
              <Link to={paths.games.to()} className="small">
                {t('allGames')}
              </Link>
            </div>
            <PastGames games={ended.slice(0, maxEnded)} />
          </section>
        )}
      </div>
    </>
  )
}

function Posts() {
  const { t } = useTranslation('home')
  const { data: posts, error, mutate } = useCall(operations.listLatestPosts)
  return (
    <section className="stack gap-4">
      <div className="line gap-3 row-between baseline">
        <h2>{t('posts')}</h2>
        <Link to={paths.posts.to()} className="small">
          {t('allPosts')}
        </Link>
      </div>
      {!posts && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {!posts && !error && <Skeleton height="220px" />}
      {posts?.length === 0 && (
        <EmptyState icon={Newspaper} title={t('noPosts')}>
          {t('noPostsText')}
        </EmptyState>
      )}
      {posts && posts.length > 0 && <LatestPosts posts={posts} />}
    </section>
  )
}
