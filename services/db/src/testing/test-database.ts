import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { inject } from 'vitest'
import { createDatabase, type StatementCounter } from '../client.ts'
import type { StatementObserver } from '../observed.ts'

/** A fresh, migrated database for one test file. Call `drop` when done. */
export const createTestDatabase = async (options: { counter?: StatementCounter; observe?: StatementObserver } = {}) => {
  const serverUrl = inject('databaseServer')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} template template_capstan`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const connection = createDatabase(url.href, { maxConnections: 20, ...options })
  const drop = async () => {
    await connection.close()
    await admin.unsafe(`drop database if exists ${name} with (force)`)
    await admin.end()
  }
  return { ...connection, url: url.href, drop }
}
