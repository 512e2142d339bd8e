import { useCallback, useEffect, useRef } from 'react'

/**
 * Lets messages hurry a read: the first one starts the wait, all that come meanwhile are answered by the same read.
 * @param waitMs how long what happened may stay unseen
 */
export function useHurry(read: () => unknown, waitMs: number): () => void {
  const latest = useRef(read)
  latest.current = read
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      void latest.current()
    }, waitMs)
  }, [waitMs])
}
