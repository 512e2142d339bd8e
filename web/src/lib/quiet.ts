import { useEffect, useState } from 'react'

/** What waits for quiet does not wait longer than this. */
const patienceMs = 3_000

let running = 0
const waiting = new Set<() => void>()

const tell = () => {
  if (running > 0) return
  for (const go of waiting) go()
}

/** Counts a call for as long as it runs. */
export const counted = <Result>(work: Promise<Result>): Promise<Result> => {
  running += 1
  return work.finally(() => {
    running -= 1
    // What the answer lets be asked for next is asked for first.
    setTimeout(tell, 0)
  })
}

/** For reads that a page can be shown without: false until the calls made before and beside have been answered, then true for good. */
export function useQuiet(): boolean {
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    const go = () => setQuiet(true)
    waiting.add(go)
    const timers = [setTimeout(tell, 0), setTimeout(go, patienceMs)]
    return () => {
      waiting.delete(go)
      for (const timer of timers) clearTimeout(timer)
    }
  }, [])
  return isQuiet
}
