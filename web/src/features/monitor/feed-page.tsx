import { Limits } from '@capstan/contract/limits'
import { FilterX, type LucideIcon, Radio } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { LiveControl, OlderPageNote } from '../../components/live-list/live-control.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { ConnectionState } from '../../lib/live.ts'
import { FeedFilterBar } from './feed-filter-bar.tsx'
import styles from './monitor.module.css'
import type { useFilteredFeed } from './use-feed.ts'

type FeedPageProps<Entry extends { readonly id: number }> = Readonly<{
  gameId: number
  feed: ReturnType<typeof useFilteredFeed<Entry>>
  connection: ConnectionState
  searchLabel: string
  searchHint: string
  filters: ReactNode
  actions?: ReactNode
  isFiltered: boolean
  empty: Readonly<{ title: string; text: string }>
  failed: string
  icon: LucideIcon
  skeleton: readonly string[]
  onClear: () => void
  children: (entries: readonly Entry[]) => ReactNode
}>

/** Layout of the live lists: filters, a pause button, loading and error states, and pagination. */
export function LiveListPage<Entry extends { readonly id: number }>(props: FeedPageProps<Entry>) {
  const { gameId, feed, connection, searchLabel, searchHint, filters: own, actions, failed, skeleton, children } = props
  const { t } = useTranslation('monitor')
  const { entries, error, pause, total, filters } = feed
  const { page, pageSize, setPage } = filters
  const isFiltered = props.isFiltered || filters.isFiltered
  const isCounted = total <= Limits.maxCountedEntries
  return (
    <>
      <FeedFilterBar
        gameId={gameId}
        filters={filters}
        searchLabel={searchLabel}
        searchHint={searchHint}
        end={
          <>
            {feed.isLive ? (
              <LiveControl
                connection={connection}
                isPaused={pause.isPaused}
                waiting={pause.waiting}
                onPause={pause.pause}
                onResume={pause.resume}
              />
            ) : (
              <OlderPageNote skip={page * pageSize} count={entries?.length ?? 0} onNewest={() => setPage(0)} />
            )}
            {actions}
          </>
        }
      >
        {own}
      </FeedFilterBar>
      {entries && isFiltered && (
        <p className={cx('faint small number', styles.found)} role="status">
          {isCounted
            ? t('search.found', { count: total })
            : t('search.foundMore', { number: formatNumber(Limits.maxCountedEntries) })}
        </p>
      )}
      {!entries && !error && <TableSkeleton dense rows={12} columns={skeleton} />}
      {!entries && error && <ErrorState title={failed} error={error} onRetry={feed.retry} />}
      {entries?.length === 0 && <Nothing {...props} isFiltered={isFiltered} />}
      {entries && entries.length > 0 && children(entries)}
      {entries && (page > 0 || total > pageSize) && (
        <Pagination
          page={page}
          pageSize={pageSize}
          {...(isCounted && { total })}
          itemsShown={entries.length}
          onPageChange={setPage}
        />
      )}
    </>
  )
}

function Nothing<Entry extends { readonly id: number }>({ feed, isFiltered, empty, icon, onClear }: FeedPageProps<Entry>) {
  const { t } = useTranslation('monitor')
  if (feed.filters.page > 0 && feed.total > 0)
    return (
      <EmptyState
        icon={FilterX}
        title={t('search.noPage')}
        actions={<Button onClick={() => feed.filters.setPage(0)}>{t('search.firstPage')}</Button>}
      />
    )
  if (isFiltered)
    return (
      <EmptyState icon={FilterX} title={t('search.none')} actions={<Button onClick={onClear}>{t('search.clear')}</Button>}>
        {t('search.noneText')}
      </EmptyState>
    )
  return (
    <EmptyState icon={feed.isLive ? icon : Radio} title={empty.title}>
      {empty.text}
    </EmptyState>
  )
}
