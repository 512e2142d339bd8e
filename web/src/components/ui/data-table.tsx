import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import { type ComponentProps, memo, type ReactNode, type Ref } from 'react'
import { Link } from 'react-router'
import { cx } from './cx.ts'
import styles from './data-table.module.css'
import { Checkbox } from './field.tsx'
import { Pagination } from './pagination.tsx'
import { ErrorState } from './states.tsx'
import { Table, tableEnd } from './table.tsx'
import { TableSkeleton } from './table-skeleton.tsx'

export type Column<Row> = Readonly<{
  head: string
  cell: (row: Row) => ReactNode
  /**
   * Kind of the column. The column `name` identifies the row. The column `end` contains numbers, aligned at the end. The column
   * `actions` contains buttons, and its header is visually hidden.
   */
  kind?: 'name' | 'end' | 'actions'
  /** True to omit the column name in the cell on a phone. */
  bare?: boolean
  className?: string | undefined
  headClassName?: string | undefined
  /** Width of the column, as a CSS length or share. On a phone, a list of small lists ignores it. */
  width?: string
  /** Sort key that a click on the column header selects. */
  sort?: string
  /** Width of the skeleton bar while the rows load, as a CSS length. */
  loadingWidth?: string
}>

export type RowProps = ComponentProps<'tr'> & Readonly<Record<`data-${string}`, string | number | boolean | undefined>>

type Selection<Row, Key> = Readonly<{
  keys: ReadonlySet<Key>
  onSelect: (keys: readonly Key[], isOn: boolean) => void
  /** Accessible name of the checkbox that selects all rows. */
  allLabel: string
  /** Returns the accessible name of the checkbox that selects one row. */
  labelOf: (row: Row) => string
}>

/** Sort order of the rows. Headers of columns with `sort` can change it. */
export type Order = Readonly<{
  by: string
  descending: boolean
  onOrder: (by: string, descending: boolean) => void
}>

type DataTableProps<Row, Key> = Readonly<{
  label: string
  /** Columns of the table. A row renders again only if its object, the columns or a callback changes. */
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  selection?: Selection<Row, Key>
  order?: Order
  rowProps?: (row: Row) => RowProps
  dense?: boolean
  listOnPhone?: boolean
  hideHead?: boolean
  className?: string | undefined
  ref?: Ref<HTMLTableElement>
}>

/** Table that is defined by a list of columns, for organizer and monitor pages. */
export function DataTable<Row, Key extends string | number>(props: DataTableProps<Row, Key>) {
  const { label, columns, rows, keyOf, selection, order, rowProps, dense, listOnPhone, hideHead, className, ref } = props
  return (
    <Table
      label={label}
      {...(dense && { dense })}
      {...(listOnPhone && { listOnPhone })}
      className={cx(!dense && styles.roomy, listOnPhone && styles.listed, className)}
      {...(ref && { ref })}
    >
      {columns.some(({ width }) => width !== undefined) && (
        <colgroup>
          {selection && <col />}
          {columns.map(({ head, width }) => (
            <col key={head} style={{ inlineSize: width }} />
          ))}
        </colgroup>
      )}
      <thead className={hideHead ? 'visually-hidden' : undefined}>
        <tr>
          {selection && <SelectAll selection={selection} keys={rows.map(keyOf)} />}
          {columns.map(({ head, kind, sort, headClassName }) => (
            <th
              key={head}
              scope="col"
              aria-sort={sort !== undefined && sort === order?.by ? (order.descending ? 'descending' : 'ascending') : undefined}
              className={cx((kind === 'end' || kind === 'actions') && tableEnd, headClassName)}
            >
              {sort !== undefined && order ? (
                <OrderButton sort={sort} order={order}>
                  {head}
                </OrderButton>
              ) : kind === 'actions' ? (
                <span className="visually-hidden">{head}</span>
              ) : (
                head
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const key = keyOf(row)
          return (
            <DataRow
              key={key}
              id={key}
              row={row}
              columns={columns}
              rowProps={rowProps}
              isSelected={selection?.keys.has(key)}
              onSelect={selection?.onSelect}
              labelOf={selection?.labelOf}
            />
          )
        })}
      </tbody>
    </Table>
  )
}

/** Button that sorts by a column, or reverses its order. */
function OrderButton({ sort, order, children }: Readonly<{ sort: string; order: Order; children: ReactNode }>) {
  const isBy = order.by === sort
  const Icon = isBy ? (order.descending ? ArrowDown : ArrowUp) : ChevronsUpDown
  return (
    <button
      type="button"
      className={styles.order}
      data-on={isBy || undefined}
      onClick={() => order.onOrder(sort, isBy && !order.descending)}
    >
      {children}
      <Icon aria-hidden />
    </button>
  )
}

type SelectAllProps<Key> = Readonly<{
  selection: Pick<Selection<never, Key>, 'keys' | 'onSelect' | 'allLabel'>
  keys: readonly Key[]
}>

function SelectAll<Key>({ selection, keys }: SelectAllProps<Key>) {
  const count = keys.filter((key) => selection.keys.has(key)).length
  return (
    <th scope="col" className={styles.check}>
      <Checkbox
        bare
        label={selection.allLabel}
        checked={count === 0 ? false : count === keys.length ? true : 'indeterminate'}
        onCheckedChange={(isOn) => selection.onSelect(keys, isOn)}
      />
    </th>
  )
}

type DataRowProps<Row, Key> = Readonly<{
  id: Key
  row: Row
  columns: readonly Column<Row>[]
  rowProps: DataTableProps<Row, Key>['rowProps']
  /** True if the row is selected. Undefined if rows cannot be selected. */
  isSelected: boolean | undefined
  onSelect: Selection<Row, Key>['onSelect'] | undefined
  labelOf: Selection<Row, Key>['labelOf'] | undefined
}>

function PlainRow<Row, Key>({ id, row, columns, rowProps, isSelected, onSelect, labelOf }: DataRowProps<Row, Key>) {
  return (
    <tr aria-selected={isSelected} {...rowProps?.(row)}>
      {isSelected !== undefined && (
        <td className={styles.check}>
          <Checkbox bare label={labelOf?.(row) ?? ''} checked={isSelected} onCheckedChange={(isOn) => onSelect?.([id], isOn)} />
        </td>
      )}
      {columns.map(({ head, cell, kind, bare, className }) => {
        if (kind === 'actions')
          return (
            <td key={head} className={cx(tableEnd, className)}>
              <span className="inline gap-0">{cell(row)}</span>
            </td>
          )
        const label = bare ? undefined : head
        return kind === 'name' ? (
          <th key={head} scope="row" data-label={label} className={className}>
            {cell(row)}
          </th>
        ) : (
          <td key={head} data-label={label} className={cx(kind === 'end' && tableEnd, className)}>
            {cell(row)}
          </td>
        )
      })}
    </tr>
  )
}

const DataRow = memo(PlainRow) as typeof PlainRow

/** Returns the set `selected` after these keys were added or removed. */
export function updateSelection<Key>(selected: ReadonlySet<Key>, keys: readonly Key[], isOn: boolean): ReadonlySet<Key> {
  const next = new Set(selected)
  for (const key of keys) isOn ? next.add(key) : next.delete(key)
  return next
}

/** Rows from the server, or the content to show if there are no rows. */
export type RowsRead<Row> = Readonly<{
  /** Rows of the list. Undefined before the first read. */
  rows: readonly Row[] | undefined
  error: unknown
  /** Title of the error, which says what could not be loaded. */
  failed?: string
  onRetry: () => unknown
  /** Content if there are no rows. */
  empty: ReactNode
  /** Pagination of the list. Undefined if one page shows all rows. */
  paging?: ComponentProps<typeof Pagination> | undefined
}>

type DataListProps<Row, Key> = Omit<DataTableProps<Row, Key>, 'rows'> &
  RowsRead<Row> &
  Readonly<{
    loadingRows?: number
  }>

/** `DataTable` for rows from the server. It shows a loading state, an error, an empty list, or rows with pagination. */
export function DataList<Row, Key extends string | number>(props: DataListProps<Row, Key>) {
  const { rows, error, failed, onRetry, empty, loadingRows, paging, ...table } = props
  if (!rows && error) return <ErrorState title={failed} error={error} onRetry={onRetry} />
  if (!rows)
    return (
      <TableSkeleton
        columns={table.columns.map(({ loadingWidth = '60%' }) => loadingWidth)}
        {...(loadingRows !== undefined && { rows: loadingRows })}
        {...(table.dense && { dense: true })}
      />
    )
  if (rows.length === 0) return empty
  return (
    <div className="stack">
      <DataTable {...table} rows={rows} />
      {paging && <Pagination {...paging} />}
    </div>
  )
}

type RowNameProps = Readonly<{
  /** Picture or icon before the name. */
  lead?: ReactNode
  children: ReactNode
  note?: ReactNode
  /** Content at the end of the cell, after the name. */
  after?: ReactNode
  /**
   * Opens the row. The name of the row is a button that calls this function. If `to` is given, the name is a link to that address.
   */
  onOpen?: () => void
  to?: string
}>

/** Name cell of a row: picture, name and second line. */
export function RowNameCell({ lead, children, note, after, onOpen, to }: RowNameProps) {
  return (
    <span className={cx('line gap-3', styles.entry)}>
      {lead}
      <span className={cx('stack gap-0 tight', styles.lines)}>
        {to ? (
          <Link to={to} className={cx('quiet medium wrap-anywhere', styles.name)}>
            <bdi>{children}</bdi>
          </Link>
        ) : (
          <button type="button" className={cx('quiet medium wrap-anywhere', styles.name)} onClick={onOpen}>
            <bdi>{children}</bdi>
          </button>
        )}
        {note && (
          <span className="truncate muted tiny regular">
            <bdi>{note}</bdi>
          </span>
        )}
      </span>
      {after}
    </span>
  )
}
