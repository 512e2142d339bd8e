import type { Readable } from 'node:stream'
import { ImportLimits, maxJsonDepth } from '@capstan/contract/limits'
import { JSONParser, TokenType } from '@streamparser/json'
import { UnfitArchive } from '../archives/unfit-archive.ts'

export type JsonRow = Readonly<Record<string, unknown>>

/** Numbers of bytes and rows that may still be read from the tables of an export. */
export interface RowBudget {
  bytes: number
  rows: number
}

export function createRowBudget(): RowBudget {
  return { bytes: ImportLimits.tableBytes, rows: ImportLimits.rows }
}

function megabytes(bytes: number): number {
  return bytes / 1024 / 1024
}

function isRow(value: unknown): value is JsonRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Streams the rows of a table `{"results": [{…}, …]}`, so that the text of the table is never completely in memory. An empty file
 * has no rows.
 * @throws UnfitArchive
 */
export async function readTableRows(name: string, content: Readable, budget: RowBudget): Promise<JsonRow[]> {
  const rows: JsonRow[] = []
  let sinceRow = 0
  let declaredCount: unknown
  const parser = new JSONParser({ paths: ['$.results.*', '$.count'], keepStack: false })
  parser.onValue = ({ value, stack }) => {
    sinceRow = 0
    if (stack.length === 1) {
      declaredCount = value
      return
    }
    budget.rows -= 1
    if (budget.rows < 0) throw new UnfitArchive(`The tables have more than ${ImportLimits.rows} rows.`)
    if (!isRow(value)) throw new UnfitArchive(`A row of the table ${name} is not an object.`)
    rows.push(value)
  }
  let depth = 0
  let tokens = 0
  let key: unknown
  let resultsAt: number | undefined
  let areNone = false
  parser.onToken = ({ token, value }) => {
    tokens += 1
    if (depth === 1 && token === TokenType.STRING) key = value
    if (depth === 1 && token === TokenType.LEFT_BRACKET && key === 'results') resultsAt = tokens
    if (token === TokenType.RIGHT_BRACKET && tokens - 1 === resultsAt) areNone = true
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth += 1
    else if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth -= 1
    if (depth > maxJsonDepth) throw new UnfitArchive(`The table ${name} is nested too deeply.`)
  }
  let isEmpty = true
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      isEmpty = false
      budget.bytes -= chunk.length
      sinceRow += chunk.length
      if (budget.bytes < 0) throw new UnfitArchive(`The tables are larger than ${megabytes(ImportLimits.tableBytes)} MB.`)
      if (sinceRow > ImportLimits.rowBytes)
        throw new UnfitArchive(`A row of the table ${name} is larger than ${megabytes(ImportLimits.rowBytes)} MB.`)
      parser.write(chunk)
    }
    if (!isEmpty && !parser.isEnded) parser.end()
  } catch (error) {
    if (error instanceof UnfitArchive) throw error
    throw new UnfitArchive(`The table ${name} is not valid JSON: ${error instanceof Error ? error.message : 'broken'}.`)
  }
  // An empty object is an empty table. An empty list of rows is an empty table if the row count is zero or absent.
  const isEmptyTable = tokens <= 2 || declaredCount === 0 || (areNone && declaredCount === undefined)
  if (rows.length === 0 && !isEmptyTable)
    throw new UnfitArchive(`The table ${name} does not have the format of CTFd: \`{"count": 1, "results": [{…}]}\`.`)
  return rows
}

/** Returns the row count of an ignored table. Reads only the beginning of the table, which contains the count. */
export async function readRowCount(content: Readable): Promise<number> {
  let head = ''
  for await (const chunk of content as AsyncIterable<Buffer>) {
    head += chunk.toString('latin1')
    if (head.length > 4_096) break
  }
  content.destroy()
  return Number(/"count":\s{0,8}(\d{1,9})/.exec(head.slice(0, 4_096))?.[1] ?? (head.includes('"id"') ? 1 : 0))
}
