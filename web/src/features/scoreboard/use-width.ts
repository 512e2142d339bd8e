import { type RefObject, useLayoutEffect, useState } from 'react'

/** The width of an element, CSS pixels: known before it is painted, and kept as it changes. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setWidth(current.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return width
}
