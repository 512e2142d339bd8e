import type { Summary } from './statistics.ts'

export type Row = Readonly<{
  job: string
  ours: string
  limit?: string
  ratio?: number
  /** CPU time of the api and the database for one response. */
  cpu?: string
  bar?: string
  /** True if the measured value is good enough. A string gives the reason why nothing was measured. */
  met?: boolean | string
}>

type Format = (value: number) => string
type Extra = Pick<Row, 'limit' | 'ratio' | 'cpu'>

export function createSkippedRow(job: string, reason: string): Row {
  return { job, ours: 'skipped', met: reason }
}

function judge(row: Row, value: number, bar: string, met: boolean): Row {
  return Number.isNaN(value) ? createSkippedRow(row.job, 'this system has no /proc') : { ...row, bar, met }
}

export function createRowWithMaximum(job: string, value: number, max: number, format: Format, extra: Extra = {}): Row {
  return judge({ job, ours: format(value), ...extra }, value, `<= ${format(max)}`, value <= max)
}

export function createRowWithMinimum(job: string, value: number, min: number, format: Format): Row {
  return judge({ job, ours: format(value) }, value, `>= ${format(min)}`, value >= min)
}

function compared(job: string, { ours, limit, ratio }: Summary, format: Format): Row {
  return { job, ours: format(ours), limit: format(limit), ratio }
}

export function createRowWithMinRatio(job: string, summary: Summary, min: number, format: Format): Row {
  return judge(compared(job, summary, format), summary.ratio, `>= ${min}`, summary.ratio >= min)
}

export function createRowWithMaxRatio(job: string, summary: Summary, max: number, format: Format): Row {
  return judge(compared(job, summary, format), summary.ratio, `<= ${max}`, summary.ratio <= max)
}

export function createRowWithMaxDifference(job: string, summary: Summary, max: number, format: Format): Row {
  return judge(compared(job, summary, format), summary.added, `<= +${format(max)}`, summary.added <= max)
}

const titles = ['job', 'ours', 'limit', 'ratio', 'api + database', 'bar', 'met'] as const

function cellsOf({ job, ours, limit = '', ratio, cpu = '', bar = '', met = '' }: Row): string[] {
  const verdict = met === true ? 'yes' : met === false ? 'NO' : met
  return [job, ours, limit, ratio?.toFixed(2) ?? '', cpu, bar, verdict]
}

export function formatBenchTable(rows: readonly Row[]): string {
  const lines = [[...titles], ...rows.map(cellsOf)]
  const widths = titles.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const format = (cells: string[]) => cells.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  return lines.map((cells) => `  ${format(cells).join('  ')}`.trimEnd()).join('\n')
}

const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

export const count: Format = (value) => thousands.format(value)
export const perSecond: Format = (value) => `${thousands.format(value)} /s`
export const milliseconds: Format = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
export const fineMilliseconds: Format = (value) => `${value.toFixed(2)} ms`
export const kilobytes: Format = (bytes) => `${(bytes / 1024).toFixed(1)} kB`
export const megabytes: Format = (bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`
