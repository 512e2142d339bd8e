const maxWaitMs = 1_000

/** Resolves when the browser has nothing better to do, or after a second. Safari has no such call. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: maxWaitMs })
    else setTimeout(resolve)
  })
}
