import { FilterX, type LucideIcon, Radio } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { LiveControl, OlderNote } from '../../components/live-list/live-control.tsx'
import { Button } from '../../components/ui/button.tsx'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { ConnectionState } from '../../lib/live.ts'
import type { useFeed } from './use-feed.ts'

interface FeedPageProps<Entry> {
  readonly feed: ReturnType<typeof useFeed<Entry>>
  readonly connection: ConnectionState
  readonly searchLabel: string
  readonly searchHint: string
  /** Filters beside the search. */
  readonly filters: ReactNode
  readonly actions?: ReactNode
  /** A filter of the server is on, so "nothing" means nothing of this kind. */
  readonly isFiltered: boolean
  readonly empty: { readonly title: string; readonly text: string }
  readonly emptyFiltered: { readonly title: string; readonly text: string }
  /** The page could not be read. */
  readonly failed: string
  readonly icon: LucideIcon
  readonly skeleton: readonly string[]
  readonly onClear: () => void
  readonly children: (entries: readonly Entry[]) => ReactNode
}

/** Frame of the live lists: toolbar, pause, states and pages. */
export function FeedPage<Entry>(props: FeedPageProps<Entry>) {
  const { feed, connection, searchLabel, searchHint, filters, actions, failed, skeleton, children } = props
  const { t } = useTranslation('monitor')
  const { tail, entries, error } = feed
  const range = { from: formatNumber(feed.skip + 1), to: formatNumber(feed.skip + feed.readCount) }
  return (
    <>
      <Toolbar
        search={
          <SearchInput
            label={searchLabel}
            placeholder={searchHint}
            value={feed.search.typed}
            onValueChange={feed.search.setTyped}
          />
        }
        end={
          <>
            {feed.isLive ? (
              <LiveControl
                connection={connection}
                isPaused={tail.isPaused}
                waiting={tail.waiting}
                onPause={tail.pause}
                onResume={tail.resume}
              />
            ) : (
              <OlderNote skip={feed.skip} count={feed.readCount} onNewest={() => feed.setPage(0)} />
            )}
            {actions}
          </>
        }
      >
        {filters}
      </Toolbar>
      {!entries && !error && <TableSkeleton dense rows={12} columns={skeleton} />}
      {!entries && error && <ErrorState title={failed} error={error} onRetry={feed.retry} />}
      {entries?.length === 0 && <Nothing {...props} />}
      {entries && entries.length > 0 && children(entries)}
      {entries && (feed.page > 0 || feed.readCount === feed.pageSize) && (
        <div className="stack gap-2">
          <span />
          {feed.isSearching && <p className="small muted">{t('search.through', range)}</p>}
          <Pagination page={feed.page} pageSize={feed.pageSize} itemsShown={feed.readCount} onPageChange={feed.setPage} />
        </div>
      )}
    </>
  )
}

function Nothing<Entry>({ feed, isFiltered, empty, emptyFiltered, icon, onClear }: FeedPageProps<Entry>) {
  const { t } = useTranslation('monitor')
  const clear = <Button onClick={onClear}>{t('search.clear')}</Button>
  if (feed.search.settled !== '')
    return (
      <EmptyState icon={FilterX} title={t('search.none')} actions={clear}>
        {t('search.noneText', { from: formatNumber(feed.skip + 1), to: formatNumber(feed.skip + feed.readCount) })}
      </EmptyState>
    )
  if (isFiltered)
    return (
      <EmptyState icon={FilterX} title={emptyFiltered.title} actions={clear}>
        {emptyFiltered.text}
      </EmptyState>
    )
  return (
    <EmptyState icon={feed.page === 0 ? icon : Radio} title={empty.title}>
      {empty.text}
    </EmptyState>
  )
}
