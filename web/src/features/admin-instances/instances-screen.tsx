import type { ContainerInstance, InstanceState, InstanceUsage } from '@capstan/contract/admin'
import { Container, FilterX, RefreshCw } from 'lucide-react'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ContainersDialog } from '../../components/containers/containers-dialog.tsx'
import { AdminList, useListQuery } from '../../components/editing/admin-list.tsx'
import { useRowSelection } from '../../components/editing/selection.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { ConnectionState } from '../../lib/live.ts'
import { useQueryChoice } from '../../lib/query-state.ts'
import { useSharedRows } from '../../lib/shared-rows.ts'
import { DestroyInstancesDialog } from './destroy-dialog.tsx'
import { filterInstances, getInstanceGuid, instanceOrders, instanceViews, listSortKeys } from './instance-list.ts'
import { cssClassOfInstanceTable, keyOfInstance, useInstanceColumns } from './instance-table.tsx'

type InstancesScreenProps = Readonly<{
  instances: readonly ContainerInstance[]
  /** States of the instances. Undefined while they load. */
  states: readonly InstanceState[] | undefined
  /** Usage of the measured instances. Empty or undefined if no instance is measured. */
  usages: readonly InstanceUsage[] | undefined
  connection: ConnectionState
  /** Maximum number of remaining minutes at which an instance counts as ending soon. */
  endingMinutes: number
  isReading: boolean
  onRefresh: () => void
}>

/** Running instances. The browser filters, sorts and pages them, because the server returns all in one response. */
export function InstancesScreen(props: InstancesScreenProps) {
  const { instances, states, usages, connection, endingMinutes, isReading, onRefresh } = props
  const { t } = useTranslation('admin-instances')
  const common = useTranslation('common')
  const { value: view, setValue: setView } = useQueryChoice('show', instanceViews)
  const query = useListQuery(instanceOrders, { show: view === 'all' ? undefined : view })
  const [destroying, setDestroying] = useState<readonly ContainerInstance[]>()
  const [opened, setOpened] = useState<ContainerInstance>()
  const stateOf = useMemo(() => new Map(states?.map((each) => [each.id, each])), [states])
  const usageOf = useMemo(() => new Map(usages?.map((each) => [each.id, each])), [usages])
  const hasUsage = usageOf.size > 0
  const isOrdered = listSortKeys(hasUsage).includes(query.order.by)
  const by = isOrdered ? query.order.by : instanceOrders[0]
  const descending = isOrdered ? query.order.descending : true
  const { typed: text } = query.search
  const now = useNow(10_000, view === 'ending')
  const shown = useMemo(
    () =>
      filterInstances(instances, {
        ...{ text, view, sort: by, descending, endingMinutes, now },
        ...{ states: stateOf, usages: usageOf },
      }),
    [instances, text, view, by, descending, endingMinutes, now, stateOf, usageOf],
  )
  const { pageSize } = query
  const page = Math.min(query.page, Math.max(0, Math.ceil(shown.length / pageSize) - 1))
  const rows = useSharedRows(
    shown.slice(page * pageSize, (page + 1) * pageSize).map((instance) => ({
      instance,
      state: stateOf.get(instance.containerGuid),
      usage: usageOf.get(instance.containerGuid),
    })),
    keyOfInstance,
  )
  const selection = useRowSelection(shown, getInstanceGuid)
  const { chosen, select } = selection
  const destroyOne = useCallback((instance: ContainerInstance) => setDestroying([instance]), [])
  const { columns, nameOf } = useInstanceColumns(hasUsage, destroyOne, setOpened)
  return (
    <>
      <AdminList
        {...{ columns, keyOf: keyOfInstance, selection }}
        label={t('table')}
        className={cssClassOfInstanceTable(hasUsage)}
        read={{ data: { data: rows, total: shown.length }, error: undefined, mutate: onRefresh }}
        query={{ ...query, page, order: { ...query.order, by, descending } }}
        search={{ label: t('search'), hint: t('searchHint') }}
        count={
          shown.length === instances.length
            ? t('count', { count: instances.length, number: formatNumber(instances.length) })
            : t('countOf', { shown: formatNumber(shown.length), total: formatNumber(instances.length) })
        }
        end={
          <>
            <span className="small muted">{common.t(`connection.${connection === 'idle' ? 'connecting' : connection}`)}</span>
            <IconButton label={t('refresh')} variant="secondary" busy={isReading} onClick={onRefresh}>
              <RefreshCw />
            </IconButton>
          </>
        }
        filters={
          <SegmentedControl
            label={t('show')}
            value={view}
            onValueChange={setView}
            options={instanceViews.map((value) => ({
              value,
              label: t(`shown.${value}`, { minutes: formatNumber(endingMinutes) }),
            }))}
          />
        }
        blank={{ icon: Container, title: t('emptyTitle'), text: t('emptyText') }}
        none={{ icon: FilterX, title: t('noneTitle'), text: t('noneText'), clear: t('clear') }}
        selectionName={nameOf}
        bulk={
          <>
            {chosen.length < shown.length && shown.length > pageSize && (
              <Button onClick={() => select(shown.map(getInstanceGuid), true)}>
                {t('selectMatching', { count: shown.length, number: formatNumber(shown.length) })}
              </Button>
            )}
            <Button variant="danger" onClick={() => setDestroying(chosen)}>
              {t('destroy', { count: chosen.length })}
            </Button>
          </>
        }
      />
      {opened && (
        <ContainersDialog
          id={opened.containerGuid}
          title={nameOf({ instance: opened, state: undefined, usage: undefined })}
          onClose={() => setOpened(undefined)}
        />
      )}
      {destroying && (
        <DestroyInstancesDialog
          instances={destroying}
          onClose={(destroyed) => {
            selection.drop(destroyed)
            setDestroying(undefined)
          }}
        />
      )}
    </>
  )
}
