/**
 * Runs `work` immediately and then every `everyMs`, but skips a run while the previous run is in progress. A failure is logged
 * with the text `failure`, and the next run tries again.
 * @returns a function that stops the timer
 */
export function runPeriodically(
  everyMs: number,
  work: () => Promise<void>,
  { log, failure }: Readonly<{ log: { warn(fields: object, text: string): void }; failure: string }>,
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
