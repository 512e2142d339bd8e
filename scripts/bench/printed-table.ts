/** A line of a table that the gateway's measurements print. */
export type PrintedRow = Readonly<{
  job: string
  ours: string
  limit: string
  ratio: string
}>

const columns = ['job', 'ours', 'limit', 'ratio'] as const

/** Reads a table of fixed columns: the header line says where each begins. Lines before the header are left out. */
export function readPrintedTable(text: string): PrintedRow[] {
  const lines = text.split('\n')
  const headerAt = lines.findIndex((line) => /^job +ours +limit +ratio/.test(line))
  const header = lines[headerAt]
  if (header === undefined) return []
  const starts = columns.map((column) => header.indexOf(column))
  return lines
    .slice(headerAt + 1)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [job = '', ours = '', limit = '', ratio = ''] = starts.map((start, index) =>
        line.slice(start, starts[index + 1]).trim(),
      )
      return { job, ours, limit, ratio }
    })
}
