import type { CSSProperties } from 'react'
import { barAngles, barPath, hubPath } from './mark.tsx'
import styles from './wheel.module.css'

type WheelProps = Readonly<{
  size?: number
  /** Completed share, from 0 to 1. The bars fill one after another. By default all bars are filled. */
  share?: number
  notches?: number
  /** True to rotate the wheel continuously. */
  isTurning?: boolean
}>

/** Progress indicator in the shape of a capstan. It is decorative, because text next to it contains the same information. */
export function ProgressWheel({ size = 24, share = 1, notches = 0, isTurning = false }: WheelProps) {
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
            {part > 0 && <path d={barPath} className={styles.filled} style={{ scale: `1 ${part}` }} />}
          </g>
        )
      })}
    </svg>
  )
}
