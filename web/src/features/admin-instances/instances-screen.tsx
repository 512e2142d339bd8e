import type { ContainerInstance, InstanceState, InstanceUsage } from '@capstan/contract/admin'
import { Container, FilterX, RefreshCw } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { OrderOnPhone } from '../../components/editing/order-on-phone.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { withSelected } from '../../components/ui/data-table.tsx'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { Segments } from '../../components/ui/tabs.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { SelectionBar, Toolbar } from '../../components/ui/toolbar.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { ConnectionState } from '../../lib/live.ts'
import { useQueryChoice, useQueryOrder, useQueryPage, useQuerySearch } from '../../lib/query-state.ts'
import { DestroyDialog } from './destroy-dialog.tsx'
import { filterInstances, instanceOrders, instanceViews, ordersOf } from './instance-list.ts'
import { InstanceTable } from './instance-table.tsx'

const pageSize = 50

type InstancesScreenProps = Readonly<{
  instances: readonly ContainerInstance[]
  /** undefined while unknown */
  states: readonly InstanceState[] | undefined
  /** Usage of measured instances. Empty or undefined without measurements */
  usages: readonly InstanceUsage[] | undefined
  connection: ConnectionState
  /** Remaining minutes that count as "ending". */
  endingMinutes: number
  isReading: boolean
  onRefresh: () => void
}>

/** Running instances, filtered, sorted and paged in the browser: the server returns all in one answer. */
export function InstancesScreen(props: InstancesScreenProps) {
  const { instances, states, usages, connection, endingMinutes, isReading, onRefresh } = props
  const { t } = useTranslation('admin-instances')
  const common = useTranslation('common')
  const search = useQuerySearch()
  const view = useQueryChoice('show', instanceViews)
  const order = useQueryOrder(instanceOrders)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [destroying, setDestroying] = useState<readonly ContainerInstance[]>()
  const stateOf = useMemo(() => new Map(states?.map((each) => [each.id, each])), [states])
  const usageOf = useMemo(() => new Map(usages?.map((each) => [each.id, each])), [usages])
  const hasUsage = usageOf.size > 0
  const { typed: text } = search
  const { value: shownView } = view
  const orders = ordersOf(hasUsage)
  const isOrdered = orders.includes(order.by)
  const by = isOrdered ? order.by : instanceOrders[0]
  const descending = isOrdered ? order.descending : true
  const now = useNow(10_000, shownView === 'ending')
  const shown = useMemo(
    () =>
      filterInstances(instances, {
        text,
        view: shownView,
        sort: by,
        descending,
        endingMinutes,
        now,
        states: stateOf,
        usages: usageOf,
      }),
    [instances, text, shownView, by, descending, endingMinutes, now, stateOf, usageOf],
  )
  const place = useQueryPage()
  const page = Math.min(place.page, Math.max(0, Math.ceil(shown.length / pageSize) - 1))
  const rows = shown.slice(page * pageSize, (page + 1) * pageSize)
  // Only visible instances can be destroyed.
  const chosen = selected.size === 0 ? [] : shown.filter(({ containerGuid }) => selected.has(containerGuid))
  const select = useCallback(
    (guids: readonly string[], isOn: boolean) => setSelected((known) => withSelected(known, guids, isOn)),
    [],
  )
  const destroyOne = useCallback((instance: ContainerInstance) => setDestroying([instance]), [])
  return (
    <>
      <Toolbar
        search={
          <SearchInput label={t('search')} placeholder={t('searchHint')} value={search.typed} onValueChange={search.setTyped} />
        }
        end={
          <>
            <span className="small muted number" role="status">
              {shown.length === instances.length
                ? t('count', { count: instances.length, number: formatNumber(instances.length) })
                : t('countOf', { shown: formatNumber(shown.length), total: formatNumber(instances.length) })}
            </span>
            <span className="small muted">{common.t(`connection.${connection === 'idle' ? 'connecting' : connection}`)}</span>
            <IconButton label={t('refresh')} variant="secondary" busy={isReading} onClick={onRefresh}>
              <RefreshCw />
            </IconButton>
          </>
        }
      >
        <Segments
          label={t('show')}
          value={view.value}
          onValueChange={view.setValue}
          options={instanceViews.map((value) => ({
            value,
            label: t(`shown.${value}`, { minutes: formatNumber(endingMinutes) }),
          }))}
        />
        <OrderOnPhone
          order={{ ...order, by, descending }}
          options={orders.map((value) => [value, t(`column.${value}`)] as const)}
        />
      </Toolbar>
      {instances.length === 0 ? (
        <EmptyState icon={Container} title={t('emptyTitle')}>
          {t('emptyText')}
        </EmptyState>
      ) : shown.length === 0 ? (
        <EmptyState
          icon={FilterX}
          title={t('noneTitle')}
          actions={
            <Button
              onClick={() => {
                search.setTyped('')
                view.setValue('all')
              }}
            >
              {t('clear')}
            </Button>
          }
        >
          {t('noneText')}
        </EmptyState>
      ) : (
        <InstanceTable
          instances={rows}
          order={{ ...order, by, descending }}
          states={stateOf}
          usages={usageOf}
          selected={selected}
          onSelect={select}
          onDestroy={destroyOne}
        />
      )}
      {shown.length > pageSize && (
        <Pagination page={page} pageSize={pageSize} total={shown.length} itemsShown={rows.length} onPageChange={place.setPage} />
      )}
      {chosen.length > 0 && chosen.length < shown.length && shown.length > pageSize && (
        <div className="row">
          <Button onClick={() => setSelected(new Set(shown.map(({ containerGuid }) => containerGuid)))}>
            {t('selectMatching', { count: shown.length, number: formatNumber(shown.length) })}
          </Button>
        </div>
      )}
      {chosen.length > 0 && (
        <SelectionBar
          label={t('selected', { count: chosen.length })}
          clearLabel={t('clearSelection')}
          onClear={() => setSelected(new Set())}
        >
          <Button variant="danger" onClick={() => setDestroying(chosen)}>
            {t('destroy', { count: chosen.length })}
          </Button>
        </SelectionBar>
      )}
      {destroying && (
        <DestroyDialog
          instances={destroying}
          onClose={(destroyed) => {
            const destroyedIds = new Set(destroyed.map(({ containerGuid }) => containerGuid))
            setSelected(new Set([...selected].filter((guid) => !destroyedIds.has(guid))))
            setDestroying(undefined)
          }}
        />
      )}
    </>
  )
}
