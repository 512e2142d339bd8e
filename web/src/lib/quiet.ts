import { useEffect, useState } from 'react'

/** Maximum wait for pending calls. */
const patienceMs = 3_000

let running = 0
const waiting = new Set<() => void>()

function tell() {
  if (running > 0) return
  for (const go of waiting) go()
}

/** Counts a call as pending while it runs. */
export function trackPending<Result>(work: Promise<Result>): Promise<Result> {
  running += 1
  return work.finally(() => {
    running -= 1
    // Calls that depend on the answer start first.
    setTimeout(tell, 0)
  })
}

/**
 * Returns false until all earlier and concurrent calls have been answered, then true. For reads that the page does not need
 * at first.
 */
export function useAllReadsDone(): boolean {
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
