import { useCallback, useEffect, useRef } from 'react'

/**
 * Returns a function that starts a read a short time after a message. One read serves all messages during this time.
 * @param waitMs time from the first message to the read
 */
export function useDelayedRead(read: () => unknown, waitMs: number): () => void {
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
