import { useEffect, useRef, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'
import styles from './motion.module.css'

type Numbers = Readonly<{
  value: number
  /** First value to show. The default is `value`, so that the first render has no animation. */
  from?: number
}>

type AnimatedNumberProps = Numbers &
  Readonly<{
    /** `count` counts from the old number to the new one. `roll` slides the old number out and the new one in. */
    way: 'count' | 'roll'
  }>

const durationMs = 700

function prefersStillness() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Easing function: fast at first, slow at the end. */
function eased(share: number) {
  return 1 - (1 - share) ** 3
}

/**
 * Returns a number that counts to `value`. The first count starts at `from`. Later counts start at the number on screen. If the
 * visitor prefers no motion, the number changes immediately.
 */
export function useCountUp(value: number, from = value): number {
  const [shown, setShown] = useState(() => (prefersStillness() ? value : from))
  const start = useRef(shown)
  start.current = shown
  useEffect(() => {
    const first = start.current
    if (first === value || prefersStillness()) return setShown(value)
    let frame = 0
    const begin = performance.now()
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - begin) / durationMs))
      setShown(Math.round(first + (value - first) * eased(share)))
      if (share < 1) frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [value])
  return shown
}

export function AnimatedNumber({ way, ...rest }: AnimatedNumberProps) {
  return way === 'roll' ? <Rolling {...rest} /> : <Counting {...rest} />
}

function Counting({ value, from = value }: Numbers) {
  return (
    <>
      <span aria-hidden className="number">
        {formatNumber(useCountUp(value, from))}
      </span>
      <span className="visually-hidden">{formatNumber(value)}</span>
    </>
  )
}

function Rolling({ value, from = value }: Numbers) {
  const [rolled, setRolled] = useState({ before: from, value })
  if (rolled.value !== value) setRolled({ before: rolled.value, value })
  const { before } = rolled
  return (
    <span className={styles.rolling} data-direction={value < before ? 'up' : 'down'} data-still={before === value || undefined}>
      <span key={value} className={styles.rolledIn}>
        {formatNumber(value)}
      </span>
      {before !== value && (
        <span key={before} aria-hidden className={styles.rolledOut}>
          {formatNumber(before)}
        </span>
      )}
    </span>
  )
}
