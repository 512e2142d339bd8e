import { readdirSync } from 'node:fs'
import type { Sql } from 'postgres'

/**
 * Tables that are not counted. Refused calls also write to the first three tables. Background jobs that sign scoreboards write to
 * the last table.
 */
const besides = ['logs', 'sessions', 'changes', 'board_seals']

/** Counts the rows of every table, so that a test notices every row that a failed import leaves behind. */
export async function countAllRows(sql: Sql): Promise<Record<string, number>> {
  const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const counts = tables
    .filter(({ name }) => !besides.includes(name))
    .map(({ name }) => `select '${name}' as name, count(*)::int as rows from "${name}"`)
  const rows = await sql.unsafe<{ name: string; rows: number }[]>(counts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]))
}

/** Lists every file below a folder. Folders are not listed. The folder may be missing. */
export function listAllFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .sort()
  } catch {
    return []
  }
}
