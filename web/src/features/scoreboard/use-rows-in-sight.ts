import { type RefObject, startTransition, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { type CellRange, getCellRangeToRender, growCellRange, type Line } from './seen-part.ts'

type RowsInSight = Readonly<{
  /** Rows to draw. They follow the scroll position immediately. */
  drawn: CellRange
  /** Rows that show their complete content: the rows that were drawn at the last pause in scrolling. */
  settled: CellRange
}>

/** Time without a scroll event after which scrolling counts as finished, in ms. */
const calmAfterMs = 160
/** Number of rows to complete per step, so that no frame takes long. */
const settleStep = 6
const nothing: CellRange = { from: 0, to: 0 }

function isSame(one: CellRange, other: CellRange) {
  return one.from === other.from && one.to === other.to
}

/**
 * Returns which rows of a list to render. The list scrolls with the page.
 * @param list element that has the height of all rows
 */
export function useRenderedRows(list: RefObject<HTMLElement | null>, line: Line): RowsInSight {
  const [at, setAt] = useState({ above: 0, window: innerHeight })
  const [settled, setSettled] = useState(nothing)
  const [isCalm, setIsCalm] = useState(true)
  const drawn = getCellRangeToRender(line, at.above, at.window)
  const last = useRef({ line, drawn })
  last.current = { line, drawn }
  const calm = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isSettled = isSame(settled, drawn)
  // Completes rows in steps after scrolling, and after a change of the list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step is followed by the next
  useEffect(() => {
    if (isSettled || calm.current !== undefined) return
    const timer = setTimeout(() => startTransition(() => setSettled(growCellRange(settled, last.current.drawn, settleStep))))
    return () => clearTimeout(timer)
  }, [isSettled, settled, drawn.from, drawn.to, isCalm])
  useEffect(() => {
    let top = 0
    let window = innerHeight
    const follow = () => {
      const above = scrollY - top
      if (!isSame(last.current.drawn, getCellRangeToRender(last.current.line, above, window))) setAt({ above, window })
    }
    // Does not measure during scrolling, because that would force a layout.
    const measure = () => {
      top = scrollY + (list.current?.getBoundingClientRect().top ?? 0)
      window = innerHeight
      follow()
    }
    const rest = () => {
      calm.current = undefined
      measure()
      setIsCalm(true)
    }
    const scrolled = () => {
      if (calm.current === undefined) setIsCalm(false)
      clearTimeout(calm.current)
      calm.current = setTimeout(rest, calmAfterMs)
      // Render in the same frame, so that newly visible rows are not empty.
      flushSync(follow)
    }
    // Measure again if the height of the page changes, because content above the list may have changed. The observer also reports
    // the first layout.
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    addEventListener('scroll', scrolled, { passive: true })
    addEventListener('resize', measure)
    return () => {
      clearTimeout(calm.current)
      observer.disconnect()
      removeEventListener('scroll', scrolled)
      removeEventListener('resize', measure)
    }
  }, [list])
  return { drawn, settled }
}
