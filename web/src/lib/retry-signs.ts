/** Pause between two attempts, in ms. */
export const retryMs = 5_000

/**
 * Calls `retry` every few seconds, when the connection returns, and when the window gets the focus.
 * @returns a function that ends the retries
 */
export function listenForRetries(retry: () => void): () => void {
  const stop = new AbortController()
  for (const sign of ['online', 'focus']) addEventListener(sign, retry, { signal: stop.signal })
  // The end of a short server outage causes no event, so a timer also retries.
  const timer = setInterval(retry, retryMs)
  return () => {
    clearInterval(timer)
    stop.abort()
  }
}
