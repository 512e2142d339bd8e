/** Returns the figure below which a `share` (0 to 1) of all figures lies, for example the median for 0.5. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Returns the monotonic time in ms that all processes of this machine share. */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
