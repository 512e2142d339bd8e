import { randomBytes } from 'node:crypto'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { inject } from 'vitest'
import { createDatabase, type DatabaseOptions } from '../client.ts'

type TestDatabaseOptions = DatabaseOptions & {
  readonly template?: string
}

/**
 * Creates a migrated database for one test file. Call `drop` at the end.
 * @param template name of the database to copy, to which no connection may be open. By default, it is a database that is migrated
 * to the newest version
 */
export async function createTestDatabase({ template = 'template_capstan', ...options }: TestDatabaseOptions = {}) {
  const serverUrl = inject('databaseServer')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const connection = createDatabase(url.href, { maxConnections: 20, ...options })
  // Client for the statements of tests. The call of `drizzle` changes the client, so that the client returns instants as texts.
  const sql = postgres(url.href, { max: 5, onnotice: () => {} })
  drizzle({ client: sql })
  const disconnect = async () => {
    await connection.close()
    await sql.end({ timeout: 5 })
  }
  const drop = async () => {
    await disconnect()
    await admin.unsafe(`drop database if exists ${name} with (force)`)
    await admin.end()
  }
  return { ...connection, sql, name, url: url.href, disconnect, drop }
}
