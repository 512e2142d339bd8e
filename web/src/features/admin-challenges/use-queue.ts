import { useRef, useState } from 'react'

/** Queues changes and runs them in sequence. Returns the failure of the last one. */
export function useQueue() {
  const [failure, setFailure] = useState<unknown>()
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const count = useRef(0)
  /** @param restore shows the stored state after a failed change */
  const add = (change: () => Promise<unknown>, restore: () => unknown): void => {
    count.current += 1
    const number = count.current
    last.current = last.current.then(async () => {
      // A later change includes this one.
      if (number !== count.current) return
      try {
        await change()
        setFailure(undefined)
      } catch (error) {
        setFailure(error)
        restore()
      }
    })
  }
  return { add, failure }
}
