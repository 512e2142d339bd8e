/**
 * Runs `work`, and prints its title and duration.
 * @param options.to stream that gets the lines. Default: the standard output
 * @param options.why reason why the step takes long. If given, the step is also shown while it runs
 */
export function runStep<Result>(
  title: string,
  work: () => Promise<Result> | Result,
  options?: { readonly to?: NodeJS.WritableStream & { readonly isTTY?: boolean }; readonly why?: string },
): Promise<Result>
