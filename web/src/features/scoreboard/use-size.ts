import { type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Inner size of an element, CSS pixels. */
export type Size = Readonly<{
  width: number
  height: number
}>

/** The size of an element: undefined until the page is laid out, known before it is painted, and kept as it changes. */
export function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>()
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    // Told once the browser has laid the page out by itself: asking at once would have it done for this alone.
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = current
      // In the same frame, else it would be painted without what is drawn to its size.
      flushSync(() => setSize((known) => (known?.width === width && known.height === height ? known : { width, height })))
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return size
}
