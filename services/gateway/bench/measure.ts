/** Returns the value below which a `share` (0 to 1) of the figures are. */
export function quantile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Returns monotonic milliseconds that all processes of this machine share. */
export function machineNowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export type Row = Readonly<{
  job: string
  ours: string
  limit: string
  ratio: string
}>

/** Prints one line per job: our time, the limit of this machine, and the ratio. */
export function printTable(rows: readonly Row[]): void {
  const all: Row[] = [{ job: 'job', ours: 'ours', limit: 'limit', ratio: 'ratio' }, ...rows]
  const columns = ['job', 'ours', 'limit', 'ratio'] as const
  const widths = columns.map((column) => Math.max(...all.map((row) => row[column].length)))
  for (const row of all)
    process.stdout.write(`${columns.map((column, index) => row[column].padEnd(widths[index] ?? 0)).join('  ')}\n`)
}
