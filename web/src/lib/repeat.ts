type RepeatRules = Readonly<{
  isResponseLost: (error: unknown) => boolean
  /** Delays before the retries, in ms. The number of delays is the maximum number of retries. */
  pausesMs: Iterable<number>
  /** Maximum time that a retry waits for the connection while the browser is offline, in ms. */
  offlineMs: number
  signal?: AbortSignal | undefined
  onRepeat?: (() => void) | undefined
}>

function upTo(ms: number, events: readonly (readonly [EventTarget, string])[]) {
  return new Promise<void>((resolve) => {
    const stop = new AbortController()
    const end = () => {
      clearTimeout(timer)
      stop.abort()
      resolve()
    }
    const timer = setTimeout(end, ms)
    for (const [target, event] of events) target.addEventListener(event, end, { once: true, signal: stop.signal })
  })
}

/** Runs an idempotent call, and retries it if its response is lost. After the last retry, throws the last error. */
export async function retryIfResponseLost<Result>(work: () => Promise<Result>, rules: RepeatRules): Promise<Result> {
  const { signal, onRepeat, offlineMs, isResponseLost } = rules
  for (const pauseMs of rules.pausesMs) {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted || !isResponseLost(error) || (!navigator.onLine && offlineMs === 0)) throw error
      onRepeat?.()
      // The delay has a random part, so that clients do not retry at the same time.
      await upTo(pauseMs * (1 + Math.random() / 4), signal ? [[signal, 'abort']] : [])
      if (!navigator.onLine) await upTo(offlineMs, [[globalThis, 'online'], ...(signal ? ([[signal, 'abort']] as const) : [])])
      if (signal?.aborted) throw error
    }
  }
  return work()
}
