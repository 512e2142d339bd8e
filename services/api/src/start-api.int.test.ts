import { redisMissing, startTestRedis } from '@capstan/bus/testing'
import { files } from '@capstan/db/schema/platform'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './server/config.ts'
import { startApi } from './start-api.ts'
import { createTestRuntime } from './testing/app.ts'
import { requiredEnvironment } from './testing/environment.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('the api starts and logs the failure if the blob store is unreachable', async () => {
  await database.db.insert(files).values({ hash: 'a'.repeat(64), name: 'left', sizeBytes: 1, referenceCount: 0 })
  const lines: string[] = []
  const log = pino({}, { write: (line) => void lines.push(line) })
  const config = readConfig({
    ...requiredEnvironment,
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
  await expect.poll(said, { timeout: 120_000 }).toContain('Could not remove unreferenced files')
  await expect.poll(said, { timeout: 120_000 }).toContain('Could not remove abandoned uploads')
  expect((await api.app.inject('/api/config')).statusCode).toBe(200)
  await api.close()
})

test('the management port serves metrics and probes until it is closed', async () => {
  const log = pino({ level: 'silent' })
  const config = readConfig({
    ...requiredEnvironment,
    DATABASE_URL: database.url,
    CAPSTAN_HOST: '127.0.0.1',
    CAPSTAN_MANAGEMENT_PORT: '0',
  })
  const api = await startApi(config, { runtime: createTestRuntime().runtime, log })
  const management = await api.startManagement()
  const get = (path: string) => fetch(`http://127.0.0.1:${management?.port}${path}`)
  expect(await (await get('/metrics')).text()).toContain('capstan_api_database_connections_max 20')
  expect((await get('/readyz')).status).toBe(200)
  api.app.retire()
  expect([(await get('/readyz')).status, (await get('/livez')).status]).toEqual([503, 200])
  await management?.close()
  await api.close()
})

test.skipIf(redisMissing)('the api remains ready if Redis becomes unreachable after the first connection', async () => {
  const redis = await startTestRedis({ password: 'anchor' })
  const env = {
    ...requiredEnvironment,
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    CAPSTAN_HOST: '127.0.0.1',
    CAPSTAN_MANAGEMENT_PORT: '0',
  }
  const config = readConfig(env)
  const api = await startApi(config, { runtime: createTestRuntime().runtime, log: pino({ level: 'silent' }) })
  const management = await api.startManagement()
  const figures = async () => (await fetch(`http://127.0.0.1:${management?.port}/metrics`)).text()
  const says = (path: string) => async () => {
    const { statusCode, body } = await api.app.inject(path)
    return `${statusCode} ${body}`
  }
  await expect.poll(says('/readyz'), { timeout: 120_000 }).toBe('503 Waiting for Redis\nbus refused')
  expect(await says('/healthz')()).toBe('200 Healthy')
  expect(await figures()).toContain('capstan_api_bus_up 0')
  await redis.removePassword()
  await expect.poll(says('/readyz'), { timeout: 120_000 }).toBe('200 Ready\nbus up')
  await redis.kill()
  await expect.poll(says('/readyz'), { timeout: 120_000 }).toBe('200 Ready\nbus connecting')
  expect(await figures()).toContain('capstan_api_bus_up 0')
  await management?.close()
  await api.close()
  await redis.close()
})
