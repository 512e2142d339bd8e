import { type RefObject, useEffect, useRef } from 'react'

/**
 * Scrolls the current link of a horizontal list into view. It scrolls again when a link becomes wider, for example because of a
 * badge, until the user scrolls the list. The list must be positioned.
 * @param address address of the current link
 * @param count number of links
 */
export function useScrollToCurrent(address: string, count: number): RefObject<HTMLElement | null> {
  const list = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address makes another link current
  useEffect(() => {
    const element = list.current
    if (!element) return
    let scrolledTo: number | undefined
    // The observer runs after layout, so reading sizes here causes no extra layout.
    const observer = new ResizeObserver(() => {
      if (scrolledTo !== undefined && element.scrollLeft !== scrolledTo) return observer.disconnect()
      const current = element.querySelector<HTMLElement>('[aria-current=page]')
      if (!current) return
      const middle = current.offsetLeft + current.offsetWidth / 2
      element.scrollLeft = middle - element.clientWidth / 2
      scrolledTo = element.scrollLeft
    })
    for (const box of [element, ...element.children]) observer.observe(box)
    return () => observer.disconnect()
  }, [address, count])
  return list
}
