import { files } from '@capstan/db/schema/platform'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { startApi } from './start-api.ts'
import { createTestRuntime } from './testing/app.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('the api starts while the blob store is away, and says so', async () => {
  await database.db.insert(files).values({ hash: 'a'.repeat(64), name: 'left', sizeBytes: 1, referenceCount: 0 })
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const config = readConfig({
    DATABASE_URL: database.url,
    CAPSTAN_BLOBS: 's3',
    CAPSTAN_S3_BUCKET: 'capstan',
    // Nothing listens on port 1.
    CAPSTAN_S3_ENDPOINT: 'http://127.0.0.1:1',
    CAPSTAN_S3_ACCESS_KEY_ID: 'key',
    CAPSTAN_S3_SECRET_ACCESS_KEY: 'secret',
  })
  const api = await startApi(config, { runtime: createTestRuntime().runtime, log })
  expect((await api.app.inject('/healthz')).statusCode).toBe(200)
  const said = () => lines.map((line): string => JSON.parse(line).msg)
  await expect.poll(said, { timeout: 20_000 }).toContain('Could not remove files that nobody refers to')
  await expect.poll(said, { timeout: 20_000 }).toContain('Could not remove uploads that never arrived')
  expect((await api.app.inject('/api/config')).statusCode).toBe(200)
  await api.close()
})
