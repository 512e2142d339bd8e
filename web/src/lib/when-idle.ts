const maxWaitMs = 1_000

/** Resolves when the browser is idle, or after a second in Safari, which lacks the API. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: maxWaitMs })
    else setTimeout(resolve)
  })
}
