/** Returns the value below which a `share` (0 to 1) of the figures are. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Returns monotonic milliseconds that all processes of this machine share. */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
