import type { GameSummary } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { CalendarPlus, Flag, SearchX } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../components/layout/page.tsx'
import { Button, ButtonAnchor } from '../components/ui/button.tsx'
import { cx } from '../components/ui/cx.ts'
import { SearchInput } from '../components/ui/input.tsx'
import { Skeleton } from '../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../components/ui/states.tsx'
import { SegmentedControl } from '../components/ui/tabs.tsx'
import { useNow } from '../components/ui/time.tsx'
import { GameCard } from '../features/games/game-card.tsx'
import { findGames, type PhaseFilter, parsePhaseFilter, phases, sortGames } from '../features/games/game-filter.ts'
import styles from '../features/games/games.module.css'
import { phaseOfGame } from '../lib/game.ts'
import { addressOfCall } from '../lib/http.ts'
import { useQueryState } from '../lib/query-state.ts'
import { useCall } from '../lib/server-state.ts'
import { useShortcuts } from '../lib/shortcuts.ts'

export function Route() {
  const { t } = useTranslation('games')
  const { data: games, error, mutate } = useCall(ownOperations.listAllGames)
  return (
    <PageLayout
      title={t('title')}
      description={t('description')}
      actions={
        <ButtonAnchor href={addressOfCall(ownOperations.getGameCalendar)}>
          <CalendarPlus aria-hidden />
          {t('calendar')}
        </ButtonAnchor>
      }
    >
      {!games && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <GamesSkeleton />)}
      {games?.length === 0 && (
        <EmptyState icon={Flag} title={t('none.title')}>
          {t('none.text')}
        </EmptyState>
      )}
      {games && games.length > 0 && <Games games={games} />}
    </PageLayout>
  )
}

function Games({ games }: { readonly games: readonly GameSummary[] }) {
  const { t } = useTranslation('games')
  const { get, set } = useQueryState()
  const now = useNow()
  const list = useRef<HTMLDivElement>(null)
  const search = get('search')
  const filter = parsePhaseFilter(get('state'))
  const found = findGames(games, search)
  const shown = sortGames(
    found.filter((game) => filter === 'all' || phaseOfGame(game, now) === filter),
    now,
  )
  const countOf = (value: PhaseFilter) =>
    value === 'all' ? found.length : found.filter((game) => phaseOfGame(game, now) === value).length
  const isOver = (game: GameSummary) => phaseOfGame(game, now) === 'ended'
  const move = (step: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll<HTMLAnchorElement>('a[data-game]') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLAnchorElement)
    links[Math.min(links.length - 1, Math.max(0, at + step))]?.focus()
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) })
  return (
    <>
      <div className="page-head">
        <div className={styles.filter}>
          <SegmentedControl
            label={t('filter.label')}
            value={filter}
            onValueChange={(value) => set({ state: value === 'all' ? undefined : value })}
            options={(['all', ...phases] as const).map((value) => ({
              value,
              label: (
                <>
                  {t(`filter.${value}`)}
                  <span className="muted number">{countOf(value)}</span>
                </>
              ),
            }))}
          />
        </div>
        <div className={styles.search}>
          <SearchInput label={t('filter.search')} value={search} onValueChange={(value) => set({ search: value })} />
        </div>
      </div>
      <p role="status" className="visually-hidden">
        {t('filter.found', { count: shown.length })}
      </p>
      {shown.length === 0 ? (
        <EmptyState
          icon={SearchX}
          title={t('noMatch.title')}
          actions={<Button onClick={() => set({ search: undefined, state: undefined })}>{t('filter.clear')}</Button>}
        >
          {t('noMatch.text')}
        </EmptyState>
      ) : (
        <div ref={list}>
          {[shown.filter((game) => !isOver(game)), shown.filter(isOver)].map(
            (part, index) =>
              part.length > 0 && (
                <ul
                  key={index === 0 ? 'open' : 'over'}
                  className={cx('tiles', index === 0 ? `gap-5 ${styles.grid}` : styles.ended)}
                >
                  {part.map((game) => (
                    <GameCard key={game.id} game={game} phase={phaseOfGame(game, now)} />
                  ))}
                </ul>
              ),
          )}
        </div>
      )}
      {games.length >= Limits.recentGames && <p className="faint small above-6">{t('recentOnly', { count: games.length })}</p>}
    </>
  )
}

function GamesSkeleton() {
  const { t } = useTranslation('games')
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="page-head">
        <Skeleton width="340px" height="36px" />
        <Skeleton width="320px" height="36px" />
      </div>
      <div className={cx('tiles gap-5', styles.grid)}>
        {['one', 'two', 'three'].map((key) => (
          <Skeleton key={key} height="340px" />
        ))}
      </div>
    </div>
  )
}
