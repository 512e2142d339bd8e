/** One line of the table. */
export interface Row {
  readonly job: string
  /** What the product did, with its unit. */
  readonly ours: string
  /** What this machine can do at best, with its unit. */
  readonly limit?: string
  /** Ours to the limit. */
  readonly ratio?: number
  /** The bar, as a person reads it; absent: measured for the record. */
  readonly bar?: string
  /** Absent: there is no bar, or nothing was measured. */
  readonly isMet?: boolean
}

/** What a job brings back. */
export interface JobResult {
  readonly rows: readonly Row[]
  /** Facts that belong to the figures. */
  readonly notes?: readonly string[]
  /** Broken promises, such as a lost submission: they fail the run, a missed bar does not. */
  readonly faults?: readonly string[]
}

/** A row for what cannot be measured here. */
export const skipped = (job: string, reason: string): JobResult => ({ rows: [{ job, ours: `skipped: ${reason}` }] })

const titles = ['job', 'ours', 'limit', 'ratio', 'bar', 'met'] as const

const cellsOf = ({ job, ours, limit, ratio, bar, isMet }: Row): string[] => [
  job,
  ours,
  limit ?? '',
  ratio === undefined ? '' : ratio.toFixed(2),
  bar ?? '',
  isMet === undefined ? '' : isMet ? 'yes' : 'NO',
]

/** The table as text, columns as wide as they need to be. A skipped row may run over the others' columns. */
export const formatTable = (rows: readonly Row[]): string => {
  const lines = [[...titles], ...rows.map(cellsOf)]
  const measured = [[...titles], ...rows.filter(({ ours }) => !ours.startsWith('skipped')).map(cellsOf)]
  const widths = titles.map((_, column) =>
    Math.max(...(column === 0 ? lines : measured).map((cells) => cells[column]?.length ?? 0)),
  )
  const format = (cells: string[]) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()
  const rule = `  ${widths.map((width) => '─'.repeat(width)).join('  ')}`
  return [format([...titles]), rule, ...rows.map((row) => format(cellsOf(row)))].join('\n')
}

const thousands = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })

export const perSecond = (value: number): string => `${thousands.format(value)} /s`
export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`
export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`
