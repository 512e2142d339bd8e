import styles from './desk.module.css'

const width = 240
const height = 64
const gap = 1
const minHeight = 2

type MinuteBarsProps = Readonly<{
  label: string
  /** Counts per minute, oldest first. */
  counts: readonly number[]
  /** Highlighted part of each bar, such as the accepted submissions of the minute. */
  parts?: readonly number[]
}>

/** Bar chart of the last hour, with one bar per minute. The highest bar has the height of the chart. */
export function MinuteBars({ label, counts, parts }: MinuteBarsProps) {
  const most = Math.max(1, ...counts)
  return (
    <svg className={styles.bars} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path className={styles.ground} d={`M0 ${height}H${width}`} />
      <path className={styles.bar} d={outline(counts, most)} />
      {parts && <path className={styles.part} d={outline(parts, most)} />}
    </svg>
  )
}

function outline(counts: readonly number[], most: number): string {
  const step = width / counts.length
  return counts
    .map((count, minute) => {
      if (count === 0) return ''
      const top = height - Math.max(minHeight, (count / most) * height)
      return `M${(minute * step).toFixed(2)} ${height}V${top.toFixed(2)}h${(step - gap).toFixed(2)}V${height}z`
    })
    .join('')
}
