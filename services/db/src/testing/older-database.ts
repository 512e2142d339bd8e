import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import type postgres from 'postgres'
import { migrationsFolder } from '../migrate.ts'

type Journal = Readonly<{
  entries: readonly { readonly tag: string }[]
}>

/**
 * Migrates an empty database to the version right before a migration.
 * @param tag file name of the migration, without its extension
 */
export async function migrateToVersionBefore(sql: postgres.Sql, tag: string): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-older-migrations-'))
  try {
    await cp(migrationsFolder, folder, { recursive: true })
    const file = path.join(folder, 'meta/_journal.json')
    const journal = JSON.parse(await readFile(file, 'utf8')) as Journal
    const place = journal.entries.findIndex((entry) => entry.tag === tag)
    await writeFile(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, place) }))
    await migrate(drizzle({ client: sql }), { migrationsFolder: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Table = Readonly<{
  name: string
  columns: string
  /** Name of the identity column, if the table has one. */
  identity: string | null
}>

/** Copies the rows of all tables that the target database has. Triggers and foreign key checks do not run. */
export async function copyRows(from: postgres.Sql, to: postgres.Sql): Promise<void> {
  const tables = await to<Table[]>`
    select table_name as name, string_agg(quote_ident(column_name), ', ') as columns,
      max(column_name) filter (where is_identity = 'YES') as identity from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER' group by table_name`
  await to.begin(async (transaction) => {
    await transaction`set local session_replication_role = 'replica'`
    for (const { name, columns, identity } of tables) {
      const [row] = await from.unsafe<{ rows: string }[]>(`select coalesce(json_agg(t), '[]')::text as rows from ${name} t`)
      await transaction.unsafe(
        `insert into ${name} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${name}, $1::text::json)`,
        [row?.rows ?? '[]'],
      )
      // Advance the sequence of the ids, so that rows that later migrations insert get other ids.
      if (identity)
        await transaction.unsafe(
          `select setval(pg_get_serial_sequence('${name}', '${identity}'), coalesce(max(${identity}), 0) + 1, false) from ${name}`,
        )
    }
  })
}
