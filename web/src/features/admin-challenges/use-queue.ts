import { useRef, useState } from 'react'

/** Changes that are made one after the other, with the failure of the last one. */
export function useQueue() {
  const [failure, setFailure] = useState<unknown>()
  const last = useRef<Promise<unknown>>(Promise.resolve())
  const count = useRef(0)
  /** @param restore shows what is stored, after a change that failed */
  const add = (change: () => Promise<unknown>, restore: () => unknown): void => {
    count.current += 1
    const number = count.current
    last.current = last.current.then(async () => {
      // What was changed again meanwhile is in the later one.
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
