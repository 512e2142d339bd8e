import { type RefObject, useEffect, useState } from 'react'

/** Height of a row on the projector, in pixels. */
export const rowHeight = 52

/** Returns the number of rows that fit into a list. */
export function useFittingRowCount(list: RefObject<HTMLElement | null>): number {
  const [count, setCount] = useState(10)
  useEffect(() => {
    const element = list.current
    if (!element) return
    const observer = new ResizeObserver(() => setCount(Math.max(3, Math.floor(element.clientHeight / rowHeight))))
    observer.observe(element)
    return () => observer.disconnect()
  }, [list])
  return count
}
