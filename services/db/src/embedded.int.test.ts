import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { users } from './schema/index.ts'
import { createTestDatabase } from './testing/test-database.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('stores a user in a migrated database, and rejects a name that differs only in case', async () => {
  const row = { userName: 'Ada', email: 'ada@example.org', passwordHash: 'x' }
  const [user] = await database.db.insert(users).values(row).returning()
  expect(user?.role).toBe('User')
  await expect(database.db.insert(users).values({ ...row, userName: 'ADA', email: 'other@example.org' })).rejects.toMatchObject({
    constraint: 'users_user_name_key',
  })
  expect(await database.db.$count(users, eq(users.userName, 'Ada'))).toBe(1)
})
