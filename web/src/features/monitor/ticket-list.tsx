import type { TicketPage } from '@capstan/contract/tickets'
import { FilterX, LifeBuoy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import type { CallFailure } from '../../lib/server-state.ts'
import { TicketQueue } from './ticket-queue.tsx'
import type { FeedFilters } from './use-feed.ts'

type TicketListProps = Readonly<{
  read: Readonly<{ data: TicketPage | undefined; error: CallFailure | undefined; mutate: () => unknown }>
  filters: FeedFilters
  addressOf: (ticketId: string) => string
}>

/** Page of the list of tickets of all teams, or its loading or error state. */
export function TicketList({ read: { data, error, mutate }, filters, addressOf }: TicketListProps) {
  const { t } = useTranslation(['monitor', 'tickets'])
  const { page, pageSize, setPage } = filters
  if (!data) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={5} />
  const { data: tickets, total } = data
  return (
    <>
      {filters.isFiltered && (
        <p className="small muted number" role="status">
          {t('search.found', { count: total })}
        </p>
      )}
      {tickets.length > 0 && <TicketQueue {...{ tickets, addressOf }} />}
      {tickets.length === 0 && total > 0 && (
        <EmptyState
          icon={FilterX}
          title={t('search.noPage')}
          actions={<Button onClick={() => setPage(0)}>{t('search.firstPage')}</Button>}
        />
      )}
      {total === 0 && filters.isFiltered && (
        <EmptyState
          icon={FilterX}
          title={t('search.none')}
          actions={<Button onClick={() => filters.clear()}>{t('search.clear')}</Button>}
        >
          {t('search.noneText')}
        </EmptyState>
      )}
      {total === 0 && !filters.isFiltered && (
        <EmptyState icon={LifeBuoy} title={t('tickets:desk.emptyTitle')}>
          {t('tickets:desk.emptyText')}
        </EmptyState>
      )}
      {(page > 0 || total > pageSize) && (
        <Pagination {...{ page, pageSize, total }} itemsShown={tickets.length} onPageChange={setPage} />
      )}
    </>
  )
}
