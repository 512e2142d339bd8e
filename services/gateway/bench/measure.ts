/** Value below which `share` (0 to 1) of the figures lie. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Monotonic milliseconds that every process of this machine agrees on. */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export interface Row {
  readonly job: string
  readonly ours: string
  readonly limit: string
  readonly ratio: string
}

/** One line per job: ours, the limit on this machine, the ratio. */
export function printTable(rows: readonly Row[]): void {
  const all: Row[] = [{ job: 'job', ours: 'ours', limit: 'limit', ratio: 'ratio' }, ...rows]
  const columns = ['job', 'ours', 'limit', 'ratio'] as const
  const widths = columns.map((column) => Math.max(...all.map((row) => row[column].length)))
  for (const row of all)
    process.stdout.write(`${columns.map((column, index) => row[column].padEnd(widths[index] ?? 0)).join('  ')}\n`)
}
