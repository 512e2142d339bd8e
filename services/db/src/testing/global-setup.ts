import { chmod, rm } from 'node:fs/promises'
import path from 'node:path'
import postgres from 'postgres'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../embedded.ts'
import { migrateDatabase } from '../migrate.ts'
import { createFastFolder } from './fast-folder.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Address of the server's maintenance database. Each test file clones `template_capstan`, a migrated database on this server.
     */
    databaseServer: string
  }
}

/** Settings of a server that loses its data after the tests, and whose databases only exist for seconds. */
const settings = {
  ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' },
  ...{ autovacuum: 'off', io_method: 'sync', max_wal_size: '256MB', max_connections: '300' },
}

/** Starts one temporary PostgreSQL server for the whole test run, with a migrated template database. */
export default async (project: TestProject) => {
  const folder = await createFastFolder('capstan-test-db-')
  // Let every user enter the folder, because the server may run as another user than the tests.
  await chmod(folder, 0o755)
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
