import type { TestApp } from '../app.ts'

/** Each request may leave its trace in these (visits, failed log-ins), or a success of before writes to them a moment later. */
const background = ['sessions', 'login_failures']
const withoutVisits = `to_jsonb(t) - '{last_visited_at,last_address}'::text[]`

/**
 * A function whose answer changes with every write to the database. It reads where each row lies and which transaction wrote it,
 * so that it costs a few milliseconds whatever the rows hold.
 */
export async function createFingerprint({ sql }: Pick<TestApp, 'sql'>): Promise<() => Promise<string>> {
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
