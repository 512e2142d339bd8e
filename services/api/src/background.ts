/**
 * Does `work` now and then every `everyMs`, unless it still goes on. A failure is logged with `failure`; the next time tries again.
 * @returns the function that ends it
 */
export function runEvery(
  everyMs: number,
  work: () => Promise<void>,
  { log, failure }: { readonly log: { warn(fields: object, text: string): void }; readonly failure: string },
): () => void {
  let isRunning = false
  const run = async (): Promise<void> => {
    if (isRunning) return
    isRunning = true
    try {
      await work()
    } catch (error) {
      log.warn({ err: error }, failure)
    } finally {
      isRunning = false
    }
  }
  void run()
  const timer = setInterval(run, everyMs)
  return () => clearInterval(timer)
}
