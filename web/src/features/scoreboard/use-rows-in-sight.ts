import { type RefObject, startTransition, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { drawnPart, grownPart, type Line, type Part } from './seen-part.ts'

type RowsInSight = Readonly<{
  /** Follows the page at once. */
  drawn: Part
  /** What was drawn when the page last stood still: rows with all that nobody sees while they fly by. */
  settled: Part
}>

/** Scrolling is over this long after the last scroll event, milliseconds. */
const calmAfterMs = 160
/** So many rows at a time get what they lacked, so that no frame is long. */
const settleStep = 6
const nothing: Part = { from: 0, to: 0 }

function isSame(one: Part, other: Part) {
  return one.from === other.from && one.to === other.to
}

/** Rows to draw of a list that scrolls with the page. @param list is as high as all its rows */
export function useRowsInSight(list: RefObject<HTMLElement | null>, line: Line): RowsInSight {
  const [at, setAt] = useState({ above: 0, window: innerHeight })
  const [settled, setSettled] = useState(nothing)
  const [isCalm, setIsCalm] = useState(true)
  const drawn = drawnPart(line, at.above, at.window)
  const last = useRef({ line, drawn })
  last.current = { line, drawn }
  const calm = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isSettled = isSame(settled, drawn)
  // Step by step while nobody scrolls; also where another part is drawn because the list has changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step is followed by the next
  useEffect(() => {
    if (isSettled || calm.current !== undefined) return
    const timer = setTimeout(() => startTransition(() => setSettled(grownPart(settled, last.current.drawn, settleStep))))
    return () => clearTimeout(timer)
  }, [isSettled, settled, drawn.from, drawn.to, isCalm])
  useEffect(() => {
    let top = 0
    let window = innerHeight
    const follow = () => {
      const above = scrollY - top
      if (!isSame(last.current.drawn, drawnPart(last.current.line, above, window))) setAt({ above, window })
    }
    // Not while scrolling: the browser would have to lay the page out at once.
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
      // In the same frame, else what comes into sight would be empty for a moment.
      flushSync(follow)
    }
    // What stands above changes its height together with the page. It also tells of the first layout, once that is done.
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
