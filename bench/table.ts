import type { Summary } from './statistics.ts'

/** Line of the table. */
export interface Row {
  readonly job: string
  /** Figure of the product, with its unit. */
  readonly ours: string
  /** Best figure of this machine, with its unit. */
  readonly limit?: string
  readonly ratio?: number
  /** CPU of api and database for one answer. */
  readonly cpu?: string
  /** Absent for figures without a bar. */
  readonly bar?: string
  readonly isMet?: boolean
}

/** Result of a job. */
export interface JobResult {
  readonly rows: readonly Row[]
  /** Sentences about the figures. */
  readonly notes?: readonly string[]
  /** Broken promises, for example a lost submission. They fail the run, and a missed bar does not. */
  readonly faults?: readonly string[]
}

type Format = (value: number) => string
type Extra = Pick<Row, 'limit' | 'ratio' | 'cpu'>

export const skipped = (job: string, reason: string): Row => ({ job, ours: `skipped: ${reason}` })

const judge = (row: Row, value: number, bar: string, isMet: boolean): Row =>
  Number.isNaN(value) ? skipped(row.job, 'this system has no /proc') : { ...row, bar, isMet }

export const atMost = (job: string, value: number, max: number, format: Format, extra: Extra = {}): Row =>
  judge({ job, ours: format(value), ...extra }, value, `<= ${format(max)}`, value <= max)

export const atLeast = (job: string, value: number, min: number, format: Format, extra: Extra = {}): Row =>
  judge({ job, ours: format(value), ...extra }, value, `>= ${format(min)}`, value >= min)

const compared = (job: string, { ours, limit, ratio }: Summary, format: Format): Row => ({
  job,
  ours: format(ours),
  limit: format(limit),
  ratio,
})

export const ratioAtLeast = (job: string, summary: Summary, min: number, format: Format): Row =>
  judge(compared(job, summary, format), summary.ratio, `>= ${min}`, summary.ratio >= min)

export const ratioAtMost = (job: string, summary: Summary, max: number, format: Format): Row =>
  judge(compared(job, summary, format), summary.ratio, `<= ${max}`, summary.ratio <= max)

export const addedAtMost = (job: string, summary: Summary, max: number, format: Format): Row =>
  judge(compared(job, summary, format), summary.added, `<= +${format(max)}`, summary.added <= max)

const titles = ['job', 'ours', 'limit', 'ratio', 'api + database', 'bar', 'met'] as const

const cellsOf = ({ job, ours, limit = '', ratio, cpu = '', bar = '', isMet }: Row): string[] => [
  ...[job, ours, limit, ratio?.toFixed(2) ?? '', cpu, bar],
  isMet === undefined ? '' : isMet ? 'yes' : 'NO',
]

/** Returns the table as text. A skipped row may extend over the columns of other rows. */
export const formatTable = (rows: readonly Row[]): string => {
  const isWide = ({ ours }: Row) => ours.startsWith('skipped') || ours.startsWith('failed')
  const measured = [[...titles], ...rows.filter((row) => !isWide(row)).map(cellsOf)]
  const widths = titles.map((_, column) => Math.max(...measured.map((cells) => cells[column]?.length ?? 0)))
  widths[0] = Math.max(widths[0] ?? 0, ...rows.map(({ job }) => job.length))
  const format = (cells: string[]) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()
  return [
    format([...titles]),
    `  ${widths.map((width) => '─'.repeat(width)).join('  ')}`,
    ...rows.map((row) => format(cellsOf(row))),
  ].join('\n')
}

const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

export const count: Format = (value) => thousands.format(value)
export const perSecond: Format = (value) => `${thousands.format(value)} /s`
export const milliseconds: Format = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
export const fineMilliseconds: Format = (value) => `${value.toFixed(2)} ms`
export const kilobytes: Format = (bytes) => `${(bytes / 1024).toFixed(1)} kB`
export const megabytes: Format = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`
