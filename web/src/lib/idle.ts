/** Latest after this time, milliseconds. */
const waitMaxMs = 1000

/** Calls `act` once the page has nothing more urgent to do. @returns a function that cancels the call */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(act)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(act, { timeout: waitMaxMs })
  return () => cancelIdleCallback(asked)
}
