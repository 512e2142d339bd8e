import { logOrders } from '@capstan/contract/admin'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { FilterX, ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { SortOrderSelect } from '../../components/editing/order-on-phone.tsx'
import { LiveControl, OlderPageNote } from '../../components/live-list/live-control.tsx'
import { createSearchPredicate } from '../../components/live-list/tail.ts'
import { useLiveFirstPage } from '../../components/live-list/use-tail.ts'
import { Button } from '../../components/ui/button.tsx'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useHub } from '../../lib/live.ts'
import { useQueryChoice, useQueryOrder, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import {
  hasLogLevel,
  keyOfLogEntry,
  logLevels,
  logPageSize,
  logSearchSize,
  searchTextOfLogEntry,
  timeOfLogEntry,
} from './log-filter.ts'
import { LogTable } from './log-table.tsx'

export function LogScreen() {
  const { t } = useTranslation('admin-logs')
  const { set: setQuery } = useQueryState()
  const { value: level, setValue: setLevel } = useQueryChoice('level', logLevels)
  const { page, setPage } = useQueryPage()
  const search = useQuerySearch()
  const order = useQueryOrder(logOrders)
  const isNewestFirst = order.by === 'time' && order.descending
  const isSearch = search.settled !== ''
  const pageSize = isSearch ? logSearchSize : logPageSize
  const skip = page * pageSize
  const {
    data,
    error,
    mutate: read,
  } = useCall(
    ownOperations.findLogs,
    {
      query: {
        ...(level !== 'All' && { level }),
        ...{ sort: order.by, descending: order.descending, count: pageSize, skip },
      },
    },
    { keepPreviousData: true },
  )
  const tail = useLiveFirstPage({
    read: isNewestFirst ? data : undefined,
    pageSize,
    accepts: (entry) => hasLogLevel(entry, level),
    keyOf: keyOfLogEntry,
    timeOf: timeOfLogEntry,
  })
  const connection = useHub('admin', undefined, { log: tail.push, reconnected: () => void read() })
  const isLive = page === 0 && isNewestFirst
  const entries = (isLive ? tail.entries : data)?.filter(createSearchPredicate(search.settled, searchTextOfLogEntry))
  const readCount = data?.length ?? 0
  const range = { from: formatNumber(skip + 1), to: formatNumber(skip + readCount) }
  const clear = (
    <Button
      onClick={() => {
        search.setTyped('')
        setQuery({ q: undefined, level: undefined, page: undefined })
      }}
    >
      {t('clear')}
    </Button>
  )
  return (
    <>
      <Toolbar
        search={
          <SearchInput label={t('search')} placeholder={t('searchHint')} value={search.typed} onValueChange={search.setTyped} />
        }
        end={
          isLive ? (
            <LiveControl
              connection={connection}
              isPaused={tail.isPaused}
              waiting={tail.waiting}
              onPause={tail.pause}
              onResume={tail.resume}
            />
          ) : (
            <OlderPageNote
              skip={skip}
              count={readCount}
              onNewest={() => setQuery({ page: undefined, sort: undefined, order: undefined })}
            />
          )
        }
      >
        <div className="scroll-line">
          <SegmentedControl
            label={t('level')}
            value={level}
            onValueChange={setLevel}
            options={logLevels.map((value) => ({ value, label: t(`levels.${value}`) }))}
          />
        </div>
        <SortOrderSelect order={order} options={logOrders.map((by) => [by, t(`column.${by}`)] as const)} />
      </Toolbar>
      <div className="stack">
        <LogTable
          rows={entries}
          order={order}
          error={error}
          onRetry={() => read()}
          empty={
            isSearch ? (
              <EmptyState icon={FilterX} title={t('noneTitle')} actions={clear}>
                {t('noneText', range)}
              </EmptyState>
            ) : level !== 'All' ? (
              <EmptyState icon={FilterX} title={t('noneLevel')} actions={clear}>
                {t('noneLevelText')}
              </EmptyState>
            ) : (
              <EmptyState icon={ScrollText} title={t('emptyTitle')}>
                {t('emptyText')}
              </EmptyState>
            )
          }
        />
        {order.by !== 'time' && <p className="small muted">{t('ordered', { number: formatNumber(Limits.maxSortedLogLines) })}</p>}
        {entries && isSearch && isNewestFirst && <p className="small muted">{t('through', range)}</p>}
        {entries && (page > 0 || readCount === pageSize) && (
          <Pagination page={page} pageSize={pageSize} itemsShown={readCount} onPageChange={setPage} />
        )}
      </div>
    </>
  )
}
