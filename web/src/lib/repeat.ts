type RepeatRules = Readonly<{
  /** True for failures after which the work may be done again. */
  isLost: (error: unknown) => boolean
  /** Pauses before each repetition, ms; their number bounds the repetitions. */
  pausesMs: readonly number[]
  /** While offline, a repetition waits up to this long for the connection, ms. */
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

/** Makes a call that may be made twice, and repeats it while it is lost. The last failure is thrown. */
export async function repeating<Result>(work: () => Promise<Result>, rules: RepeatRules): Promise<Result> {
  const { signal, onRepeat, offlineMs, isLost } = rules
  for (const pauseMs of rules.pausesMs) {
    try {
      return await work()
    } catch (error) {
      if (signal?.aborted || !isLost(error) || (!navigator.onLine && offlineMs === 0)) throw error
      onRepeat?.()
      // With a random part, so that not all clients come at the same moment.
      await upTo(pauseMs * (1 + Math.random() / 4), signal ? [[signal, 'abort']] : [])
      if (!navigator.onLine) await upTo(offlineMs, [[globalThis, 'online'], ...(signal ? ([[signal, 'abort']] as const) : [])])
      if (signal?.aborted) throw error
    }
  }
  return work()
}
