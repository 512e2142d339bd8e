import type { BadgeTone } from './badge.tsx'
import styles from './display.module.css'

type ProgressProps = Readonly<{
  label: string
  value: number
  tone?: Exclude<BadgeTone, 'neutral'>
}>

export function Progress({ label, value, tone = 'brand' }: ProgressProps) {
  const share = Math.min(1, Math.max(0, value))
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      className={styles.progress}
    >
      <div className={styles.progressFill} data-tone={tone} style={{ scale: `${share} 1` }} />
    </div>
  )
}
