import { useEffect, useState } from 'react'
import { waitForIdle } from './when-idle.ts'

/** Maximum time to wait for pending calls, in ms. */
const patienceMs = 3_000

let running = 0
const waiting = new Set<() => void>()

function tell() {
  if (running > 0) return
  for (const go of waiting) go()
}

/** Counts a call as pending until it ends. */
export function trackPendingCall<Result>(work: Promise<Result>): Promise<Result> {
  running += 1
  return work.finally(() => {
    running -= 1
    // Check when the browser is idle, because code may react to the response with further calls. Then the content is also painted.
    void waitForIdle().then(tell)
  })
}

/**
 * Returns false until all earlier and concurrent calls have ended, and then true. Use it to delay reads that the page does not
 * need at first.
 */
export function useHaveAllReadsEnded(): boolean {
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    const go = () => setQuiet(true)
    waiting.add(go)
    void waitForIdle().then(tell)
    const timer = setTimeout(go, patienceMs)
    return () => {
      waiting.delete(go)
      clearTimeout(timer)
    }
  }, [])
  return isQuiet
}
