import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { drawnPart, type Line, type Part } from './seen-part.ts'

interface Parts {
  readonly rows: Part
  readonly columns: Part
}

const isSame = (one: Part, other: Part) => one.from === other.from && one.to === other.to

/** Rows and columns to draw of a frame that scrolls both ways. The size of the window serves until the frame has one. */
export function useDrawnParts(frame: RefObject<HTMLElement | null>, rows: Line, columns: Line): Parts {
  const lines = useRef({ rows, columns })
  lines.current = { rows, columns }
  const [at, setAt] = useState({ top: 0, left: 0, height: innerHeight, width: innerWidth })
  const parts = {
    rows: drawnPart(rows, at.top, at.height),
    columns: drawnPart(columns, at.left, at.width),
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
    // In the same frame, else what comes into sight would be empty for a moment.
    const scrolled = () => flushSync(follow)
    const observer = new ResizeObserver(follow)
    observer.observe(element)
    element.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', scrolled)
    }
  }, [frame])
  return parts
}
