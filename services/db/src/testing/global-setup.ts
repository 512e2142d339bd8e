import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../embedded.ts'
import { migrateDatabase } from '../migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Address of the maintenance database. Each test file clones `template_capstan`, which is a migrated database of that server.
     */
    databaseServer: string
  }
}

/** Starts one temporary PostgreSQL for the whole run, with a migrated template database. */
export default async (project: TestProject) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-test-db-'))
  // The server may run as a different user from the tests.
  await chmod(folder, 0o755)
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }
  const server = await startEmbeddedPostgres({ folder: path.join(folder, 'pg'), settings })
  const sql = postgres(server.urlOf('postgres'), { max: 1, onnotice: () => {} })
  await sql`create database template_capstan`
  await migrateDatabase(server.urlOf('template_capstan'))
  await sql.end()
  project.provide('databaseServer', server.urlOf('postgres'))
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
