import { type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

export type Size = Readonly<{
  width: number
  height: number
}>

/** Returns the current size of an element. The size is undefined before the first layout, but known before the first paint. */
export function useSize(element: RefObject<HTMLElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>()
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    // The observer runs after layout, so that measuring does not force another layout.
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = current
      // Render in the same frame, so that the browser does not paint the new size without content.
      flushSync(() => setSize((known) => (known?.width === width && known.height === height ? known : { width, height })))
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return size
}
