/**
 * Does `work` now and then every `everyMs`. A failure is logged with `failure`; the next time tries again.
 * @returns the function that ends it
 */
export const runEvery = (
  everyMs: number,
  work: () => Promise<void>,
  { log, failure }: { readonly log: { warn(fields: object, text: string): void }; readonly failure: string },
): (() => void) => {
  const run = (): void => void work().catch((error: unknown) => log.warn({ err: error }, failure))
  run()
  const timer = setInterval(run, everyMs)
  return () => clearInterval(timer)
}
