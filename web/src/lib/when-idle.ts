const maxWaitMs = 1_000

/** Resolves when the browser is idle. In Safari, which lacks the API, it resolves after a second. */
export function waitForIdle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: maxWaitMs })
    else setTimeout(resolve)
  })
}
