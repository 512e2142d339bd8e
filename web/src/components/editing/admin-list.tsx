import type { LucideIcon } from 'lucide-react'
import { type ReactNode, useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useQueryOrder, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { Button } from '../ui/button.tsx'
import { type Column, DataList, type RowProps } from '../ui/data-table.tsx'
import { FieldError } from '../ui/field.tsx'
import { SearchInput } from '../ui/input.tsx'
import { EmptyState, ErrorText } from '../ui/states.tsx'
import { Toolbar } from '../ui/toolbar.tsx'
import { SortOrderSelect } from './order-on-phone.tsx'
import { BulkActionBar, type Selection } from './selection.tsx'

type Filters = Readonly<Record<string, string | number | boolean | undefined>>

const defaultPageSize = 50

/**
 * Stores search text, order, page and filters of a list in the address.
 * @param filters current filter values. Each filter has the same name in the address and in the API call. An undefined filter
 * selects all rows.
 * @returns the values, and `query` for the API call
 */
export function useListQuery<Order extends string, Chosen extends Filters>(
  orders: readonly [Order, ...Order[]],
  filters: Chosen,
  pageSize = defaultPageSize,
) {
  const { page, setPage } = useQueryPage()
  const search = useQuerySearch()
  const order = useQueryOrder(orders)
  const { set } = useQueryState()
  const chosen = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Chosen]?: NonNullable<Chosen[Name]>
  }
  return {
    ...{ page, setPage, pageSize, search, order },
    isFiltered: search.typed !== '' || search.settled !== '' || Object.keys(chosen).length > 0,
    query: {
      ...(search.settled !== '' && { hint: search.settled }),
      ...chosen,
      ...{ sort: order.by, descending: order.descending, count: pageSize, skip: page * pageSize },
    },
    clear: () => {
      search.setTyped('')
      set({ q: undefined, page: undefined, ...Object.fromEntries(Object.keys(filters).map((name) => [name, undefined])) })
    },
  }
}

type ListQuery = Omit<ReturnType<typeof useListQuery>, 'query'>

/** Response of the call that reads the list. */
type ListRead<Row> = Readonly<{
  /** Rows of the page and the total number of rows. Undefined before the first response. */
  data: Readonly<{ data: readonly Row[]; total: number }> | undefined
  error: unknown
  mutate: () => unknown
}>

type Notice = Readonly<{
  icon: LucideIcon
  title: string
  text: string
}>

type AdminListProps<Row, Key> = Readonly<{
  /** Accessible name of the table. */
  label: string
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => Key
  rowProps?: (row: Row) => RowProps
  className?: string | undefined
  loadingRows?: number
  read: ListRead<Row>
  /** State of the search, sort order and page. Absent for a list without these features. */
  query?: ListQuery
  search?: Readonly<{ label: string; hint: string }>
  filters?: ReactNode
  /** Sort orders for which the table has no column. */
  moreOrders?: readonly (readonly [by: string, label: string])[]
  count: string
  /** Buttons that add rows. */
  actions?: ReactNode
  /** Content at the end of the toolbar. It is always shown. */
  end?: ReactNode
  failure?: unknown
  /** Content that replaces the table if the list would be empty even without search and filters. */
  blank?: Notice
  /** Texts for the case that no row matches search and filters. `clear` is the label of the button that shows all rows. */
  none?: Notice & Readonly<{ clear: string }>
  selection?: Pick<Selection<unknown, Key>, 'keys' | 'select' | 'chosen' | 'clear'>
  /** Returns the name of a row for the accessible name of its checkbox. */
  selectionName?: (row: Row) => string
  /** Actions for the selected rows. */
  bulk?: ReactNode
}>

/** List of an admin page: toolbar with search and filters, sortable table with pages, and actions for the selected rows. */
export function AdminList<Row, Key extends string | number>(props: AdminListProps<Row, Key>) {
  const { read, query, search, filters, moreOrders = [], count, actions, end, failure, blank, none, selection, bulk } = props
  const { label, columns, keyOf, rowProps, className, loadingRows, selectionName } = props
  const { t } = useTranslation('editing')
  const { data, error, mutate } = read
  const isBlank = blank !== undefined && data?.total === 0 && query?.isFiltered !== true
  const labelOf = useCallback((row: Row) => t('selectOne', { name: selectionName?.(row) ?? '' }), [t, selectionName])
  const orders = columns.flatMap(({ sort, head }) => (sort === undefined ? [] : [[sort, head] as const]))
  return (
    <>
      {(!isBlank || end) && (
        <Toolbar
          search={
            !isBlank &&
            query &&
            search && (
              <SearchInput
                label={search.label}
                placeholder={search.hint}
                value={query.search.typed}
                onValueChange={query.search.setTyped}
              />
            )
          }
          end={
            <>
              {data && !isBlank && (
                <span className="small muted number" role="status">
                  {count}
                </span>
              )}
              {end}
              {data && !isBlank && actions}
            </>
          }
        >
          {!isBlank && filters}
          {!isBlank && query && <SortOrderSelect order={query.order} options={[...moreOrders, ...orders]} />}
        </Toolbar>
      )}
      {failure !== undefined && (
        <FieldError>
          <ErrorText error={failure} />
        </FieldError>
      )}
      <DataList
        {...{ label, columns, keyOf, className, error }}
        {...(rowProps && { rowProps })}
        {...(loadingRows !== undefined && { loadingRows })}
        {...(query && { order: query.order })}
        listOnPhone
        rows={data?.data}
        onRetry={mutate}
        {...(selection && {
          selection: {
            keys: selection.keys,
            onSelect: selection.select,
            allLabel: t('selectAll'),
            labelOf,
          },
        })}
        empty={
          isBlank ? (
            <EmptyState icon={blank.icon} title={blank.title} actions={actions}>
              {blank.text}
            </EmptyState>
          ) : (
            none && (
              <EmptyState icon={none.icon} title={none.title} actions={<Button onClick={query?.clear}>{none.clear}</Button>}>
                {none.text}
              </EmptyState>
            )
          )
        }
        paging={
          query && data && data.total > query.pageSize
            ? {
                page: query.page,
                pageSize: query.pageSize,
                total: data.total,
                itemsShown: data.data.length,
                onPageChange: query.setPage,
              }
            : undefined
        }
      />
      {selection && <BulkActionBar selection={selection}>{bulk}</BulkActionBar>}
    </>
  )
}
