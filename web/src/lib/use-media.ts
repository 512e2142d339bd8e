import { useCallback, useMemo, useSyncExternalStore } from 'react'

/** Whether a media query holds; renders again when that changes. */
export function useMedia(query: string): boolean {
  const list = useMemo(() => matchMedia(query), [query])
  const watch = useCallback(
    (changed: () => void) => {
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    [list],
  )
  return useSyncExternalStore(watch, () => list.matches)
}
