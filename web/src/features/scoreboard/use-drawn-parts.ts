import { type RefObject, startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { drawnPart, type Line, type Part } from './seen-part.ts'

interface Parts {
  readonly rows: Part
  readonly columns: Part
  /** Rows that were drawn before fast scrolling began; undefined while nobody scrolls fast. */
  readonly beforeRush: Part | undefined
}

/** Faster than this nobody reads, pixels per millisecond: 140 rows a second. */
const rushSpeed = 6
/** Fast scrolling is over this long after the last scroll event, milliseconds. */
const calmAfterMs = 120

const isSame = (one: Part, other: Part) => one.from === other.from && one.to === other.to

/** Tells the speed, pixels per millisecond, of what is at a place now: the mean of its last two steps. One jump is none. */
function speedometer() {
  let last = { place: 0, time: performance.now(), speed: 0 }
  return (place: number) => {
    const time = performance.now()
    const speed = Math.abs(place - last.place) / Math.max(1, time - last.time)
    const mean = last.speed < rushSpeed / 4 ? 0 : (speed + last.speed) / 2
    last = { place, time, speed }
    return mean
  }
}

/** Rows and columns to draw of a frame that scrolls both ways. The size of the window serves until the frame has one. */
export function useDrawnParts(frame: RefObject<HTMLElement | null>, rows: Line, columns: Line): Parts {
  const lines = useRef({ rows, columns })
  lines.current = { rows, columns }
  const [at, setAt] = useState({ top: 0, left: 0, height: innerHeight, width: innerWidth })
  const [beforeRush, setBeforeRush] = useState<Part>()
  const parts = {
    rows: drawnPart(rows, at.top, at.height),
    columns: drawnPart(columns, at.left, at.width),
    beforeRush,
  }
  const drawn = useRef(parts)
  useLayoutEffect(() => {
    drawn.current = parts
  })
  useEffect(() => {
    const element = frame.current
    if (!element) return
    const follow = () => {
      const { scrollTop, scrollLeft, clientHeight, clientWidth } = element
      const needed = lines.current
      const { rows: shownRows, columns: shownColumns } = drawn.current
      const isDrawn =
        isSame(shownRows, drawnPart(needed.rows, scrollTop, clientHeight)) &&
        isSame(shownColumns, drawnPart(needed.columns, scrollLeft, clientWidth))
      if (!isDrawn) setAt({ top: scrollTop, left: scrollLeft, height: clientHeight, width: clientWidth })
    }
    const speedOf = speedometer()
    let calm: ReturnType<typeof setTimeout> | undefined
    const watchSpeed = () => {
      const isRush = speedOf(element.scrollTop) > rushSpeed
      if (!isRush && calm === undefined) return
      clearTimeout(calm)
      calm = setTimeout(() => {
        calm = undefined
        startTransition(() => setBeforeRush(undefined))
      }, calmAfterMs)
      if (isRush) setBeforeRush((before) => before ?? drawn.current.rows)
    }
    // In the same frame, else what comes into sight would be empty for a moment.
    const scrolled = () =>
      flushSync(() => {
        watchSpeed()
        follow()
      })
    const observer = new ResizeObserver(follow)
    observer.observe(element)
    element.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      clearTimeout(calm)
      observer.disconnect()
      element.removeEventListener('scroll', scrolled)
    }
  }, [frame])
  return parts
}
