/** One line of the table. */
export type Row = Readonly<{
  job: string
  /** What the product did, with its unit. */
  ours: string
  /** What this machine can do at best, with its unit. */
  limit?: string
  /** Ours to the limit. */
  ratio?: number
  /** CPU of api and database for one answer, as `cpuText` writes it. */
  cpu?: string
  /** The bar, as a person reads it; absent: measured for the record. */
  bar?: string
  /** Absent: there is no bar, or nothing was measured. */
  isMet?: boolean
}>

type Format = (value: number) => string

/** What a figure has to be: its value, its ratio to the limit, or how much it is beyond the limit. */
export type Bar = Readonly<{
  of: 'value' | 'ratio' | 'added'
  most?: number
  least?: number
  /** How value and limit are written. */
  format: Format
}>

export function atMost(most: number, format: Format): Bar {
  return { of: 'value', most, format }
}
export function atLeast(least: number, format: Format): Bar {
  return { of: 'value', least, format }
}
export function ratioAtMost(most: number, format: Format): Bar {
  return { of: 'ratio', most, format }
}
export function ratioAtLeast(least: number, format: Format): Bar {
  return { of: 'ratio', least, format }
}

export function addedAtMost(most: number, format: Format): Bar {
  return { of: 'added', most, format }
}

/** What was measured for a bar. */
export type Figure = Readonly<{
  value: number
  /** What this machine can do at best, or what the value is compared with. */
  limit?: number
  /** Absent: value to limit. With rounds the median of theirs is better. */
  ratio?: number
  /** Absent: value less limit, as with `ratio`. */
  added?: number
  cpu?: string
}>

/** What a job brings back. */
export type JobResult = Readonly<{
  /** By the names of the job's bars. */
  figures?: Readonly<Record<string, Figure>>
  /** Further lines, as they are. */
  rows?: readonly Row[]
  /** Facts that belong to the figures. */
  notes?: readonly string[]
  /** Broken promises, such as a lost submission: they fail the run, a missed bar does not. */
  faults?: readonly string[]
}>

/** A row for what cannot be measured here. */
export function skipped(job: string, reason: string): { rows: Row[] } {
  return { rows: [{ job, ours: `skipped: ${reason}` }] }
}

function writers(format: Format) {
  return { value: format, ratio: String, added: (value: number) => `+${format(value)}` }
}

function rowOf(job: string, { of, most, least, format }: Bar, figure: Figure): Row {
  const { value, limit, cpu, added = value - (limit ?? Number.NaN) } = figure
  const ratio = figure.ratio ?? (limit === undefined ? undefined : value / limit)
  const judged = { value, ratio: ratio ?? Number.NaN, added }[of]
  const write = writers(format)[of]
  return {
    job,
    ours: format(value),
    ...(limit !== undefined && { limit: format(limit) }),
    ...(ratio !== undefined && { ratio }),
    ...(cpu !== undefined && { cpu }),
    bar: most === undefined ? `>= ${write(least ?? 0)}` : `<= ${write(most)}`,
    isMet: most === undefined ? judged >= (least ?? 0) : judged <= most,
  }
}

/** The lines of a job. A bar for which it brought no figure is a fault, unless the job was skipped. */
export function judge(bars: Readonly<Record<string, Bar>>, result: JobResult): { rows: Row[]; faults: string[] } {
  const { figures = {}, rows: further = [], faults = [] } = result
  const wasSkipped = further.some(({ ours }) => ours.startsWith('skipped') || ours === 'failed')
  const rows: Row[] = []
  const missing: string[] = []
  for (const [name, bar] of Object.entries(bars)) {
    const figure = figures[name]
    if (figure) rows.push(rowOf(name, bar, figure))
    else if (!wasSkipped) missing.push(`${name}: there is a bar and no figure`)
  }
  const unknown = Object.keys(figures).filter((name) => !(name in bars))
  return {
    rows: [...rows, ...further],
    faults: [...faults, ...missing, ...unknown.map((name) => `${name}: there is a figure and no bar`)],
  }
}

const titles = ['job', 'ours', 'limit', 'ratio', 'api + database', 'bar', 'met'] as const

function cellsOf({ job, ours, limit, ratio, cpu, bar, isMet }: Row): string[] {
  return [
    job,
    ours,
    limit ?? '',
    ratio === undefined ? '' : ratio.toFixed(2),
    cpu ?? '',
    bar ?? '',
    isMet === undefined ? '' : isMet ? 'yes' : 'NO',
  ]
}

/** The table as text, columns as wide as they need to be. A skipped row may run over the others' columns. */
export function formatTable(rows: readonly Row[]): string {
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

/** A pure number, such as of calls. */
export function count(value: number): string {
  return thousands.format(value)
}
export function perSecond(value: number): string {
  return `${thousands.format(value)} /s`
}
export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 1 : 0)} ms`
}
export function fineMilliseconds(value: number): string {
  return `${value.toFixed(2)} ms`
}
export function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} kB`
}
export function megabytesPerSecond(bytes: number): string {
  return `${megabytes(bytes)}/s`
}
export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`
}
