import type { Column } from '../../components/ui/data-table.tsx'
import { serverNow } from '../../lib/clock.ts'
import { formatClock, formatDate, formatExact } from '../../lib/format.ts'
import styles from './monitor.module.css'

/** Column of instants: the clock time, with the day if it is not today, exact on hover. Plain cells, because there may be a thousand. */
export const momentColumn = <Row,>(head: string, atOf: (row: Row) => string): Column<Row> => ({
  head,
  bare: true,
  className: styles.moment,
  cell: (row) => <Moment at={atOf(row)} />,
})

const Moment = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={formatExact(at)}>
    {formatClock(at)}
    {formatDate(at) !== formatDate(serverNow()) && <span>{formatDate(at)}</span>}
  </time>
)
