import styles from './blood-mark.module.css'
import { type BloodPlace, bloodUnits, createBloodPath, dropPath } from './blood-shape.ts'

type BloodMarkProps = Readonly<{
  place: BloodPlace
  /** Accessible name of the mark. Omit it if the text beside the mark contains the same information. */
  label?: string
  /** Size in pixels. The default is the CSS variable `--mark`, or 16 if the variable is not set. */
  size?: number
}>

/** Outline of a drop, for a first, second or third blood that is still available. */
export function BloodOutline({ label }: { readonly label: string }) {
  return (
    <svg viewBox={`0 0 ${bloodUnits} ${bloodUnits}`} className={styles.outline} role="img" aria-label={label}>
      <path d={dropPath} />
    </svg>
  )
}

const paths = { 1: createBloodPath(1), 2: createBloodPath(2), 3: createBloodPath(3) } as const

/** Mark for a first, second or third blood. */
export function BloodMark({ place, label, size }: BloodMarkProps) {
  const shared = {
    viewBox: `0 0 ${bloodUnits} ${bloodUnits}`,
    className: styles.mark,
    'data-place': place,
    ...(size !== undefined && { style: { inlineSize: size, blockSize: size } }),
  }
  const shape = <path fillRule="evenodd" d={paths[place]} />
  return label === undefined ? (
    <svg {...shared} aria-hidden="true">
      {shape}
    </svg>
  ) : (
    <svg {...shared} role="img" aria-label={label}>
      <title>{label}</title>
      {shape}
    </svg>
  )
}
