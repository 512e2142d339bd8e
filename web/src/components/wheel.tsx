import type { CSSProperties } from 'react'
import { barAngles, barPath, hubPath } from './mark.tsx'
import styles from './wheel.module.css'

type WheelProps = Readonly<{
  /** Pixels. */
  size?: number
  /** Share that is done, 0 to 1: the bars fill one after the other. Absent: all are filled. */
  share?: number
  /** Number of notches that it has turned; a new number turns it there. */
  notches?: number
  /** Turns until this is false again. */
  isTurning?: boolean
}>

/** The capstan as the instrument of progress. Decorative: words beside it say the same. */
export function Wheel({ size = 24, share = 1, notches = 0, isTurning = false }: WheelProps) {
  const filled = Math.min(1, Math.max(0, share)) * barAngles.length
  return (
    <svg
      viewBox="0 0 24 24"
      width={size}
      height={size}
      fill="currentColor"
      aria-hidden="true"
      className={styles.wheel}
      data-turning={isTurning || undefined}
      style={{ '--notches': notches } as CSSProperties}
    >
      <path fillRule="evenodd" d={hubPath} />
      {barAngles.map((angle, index) => {
        const part = Math.min(1, Math.max(0, filled - index))
        return (
          <g key={angle} transform={`rotate(${angle} 12 12)`}>
            <path d={barPath} className={styles.empty} />
            {/* Grows from the hub outwards. */}
            {part > 0 && <path d={barPath} className={styles.filled} style={{ scale: `1 ${part}` }} />}
          </g>
        )
      })}
    </svg>
  )
}
