import { type RefObject, useEffect } from 'react'

/** Synchronizes the horizontal scroll positions of elements that have the same width. */
export function useSynchronizedScroll(...elements: readonly RefObject<HTMLElement | null>[]): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the references never change
  useEffect(() => {
    const all = elements.flatMap(({ current }) => current ?? [])
    const follow = ({ target }: Event) => {
      const { scrollLeft } = target as HTMLElement
      for (const element of all) if (element !== target && element.scrollLeft !== scrollLeft) element.scrollLeft = scrollLeft
    }
    for (const element of all) element.addEventListener('scroll', follow, { passive: true })
    return () => {
      for (const element of all) element.removeEventListener('scroll', follow)
    }
  }, [])
}
