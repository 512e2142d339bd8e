import { serverNow } from '../../lib/clock.ts'
import { formatClock, formatDate, formatExact } from '../../lib/format.ts'
import styles from './monitor.module.css'

/** Clock time, with the day if it is not today, exact on hover; a plain cell, because there may be a thousand. */
export const MomentCell = ({ at }: { readonly at: string }) => (
  <td className={styles.moment}>
    <time dateTime={at} title={formatExact(at)}>
      {formatClock(at)}
      {formatDate(at) !== formatDate(serverNow()) && <span>{formatDate(at)}</span>}
    </time>
  </td>
)
