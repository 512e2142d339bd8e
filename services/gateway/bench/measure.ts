/** Returns a quantile: the value below which `share` (0 to 1) of all values are, for example the median for 0.5. */
export function computeQuantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Returns a monotonic time in ms that can be compared between processes of this machine. */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
