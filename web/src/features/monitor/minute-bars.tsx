import styles from './desk.module.css'

const width = 240
const height = 64
const gap = 1
/** So that a single submission can be seen beside hundreds. */
const leastHeight = 2

type MinuteBarsProps = Readonly<{
  /** What the picture says, in words. */
  label: string
  /** One a minute, oldest first. */
  counts: readonly number[]
  /** Parts of `counts`, drawn over them. */
  parts?: readonly number[]
}>

/** The last hour as one bar a minute; the highest one fills the height. */
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

/** All bars as one path. */
function outline(counts: readonly number[], most: number): string {
  const step = width / counts.length
  return counts
    .map((count, minute) => {
      if (count === 0) return ''
      const top = height - Math.max(leastHeight, (count / most) * height)
      return `M${(minute * step).toFixed(2)} ${height}V${top.toFixed(2)}h${(step - gap).toFixed(2)}V${height}z`
    })
    .join('')
}
