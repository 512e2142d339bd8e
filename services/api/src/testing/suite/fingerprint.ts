import type { TestApp } from '../app.ts'

/**
 * Tables to ignore. Every request may change these tables (last visits, failed logins), or an earlier successful call changes
 * them with a delay.
 */
const background = ['sessions', 'login_failures']
const withoutVisits = `to_jsonb(t) - '{last_visited_at,last_address}'::text[]`

/**
 * Returns a function whose result changes with every write to the database. The function reads the position of each row, and the
 * transaction that wrote the row. This takes a few milliseconds for any content.
 */
export async function createDatabaseFingerprint({ sql }: Pick<TestApp, 'sql'>): Promise<() => Promise<string>> {
  const tables = (await sql`
    select tablename as name from pg_tables where schemaname = 'public' and not (tablename = any(${background})) order by 1`) as unknown as {
    name: string
  }[]
  const query = tables
    .map(({ name }) => {
      const row = name === 'users' ? withoutVisits : 't.ctid, t.xmin'
      return `select '${name}' || ' ' || count(*) || ' ' || coalesce(sum(hashtextextended(concat(${row}), 0)), 0) as line from ${name} t`
    })
    .join(' union all ')
  return async () => ((await sql.unsafe(query)) as unknown as { line: string }[]).map(({ line }) => line).join('\n')
}
