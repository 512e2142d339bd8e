import { migrateDatabase } from '@capstan/db/migrate'
import { mailTokens, noPassword } from '@capstan/db/schema/accounts'
import { migrateToVersionBefore } from '@capstan/db/testing/older-database'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { asc } from 'drizzle-orm'
import { expect, test } from 'vitest'

test('the migration stores the password hash of the registration in the first activation link of an account', async () => {
  const older = await createTestDatabase({ template: 'template1' })
  await migrateToVersionBefore(older.sql, '0064_passwords_of_mailed_links')
  /** Adds an account that was registered at 00:05, and a link that was sent at this time. */
  const add = async (
    tokenHash: string,
    sentAt: string,
    { purpose = 'activation', passwordHash = `hash of ${tokenHash}` } = {},
  ) => {
    const [user] = await older.sql`
      insert into users (user_name, email, password_hash, registered_at)
      values (${tokenHash}, ${`${tokenHash}@example.org`}, ${passwordHash}, '2026-01-01 00:05Z') returning id`
    await older.sql`
      insert into mail_tokens (token_hash, user_id, purpose, email, expires_at) values
      (${tokenHash}, ${user!.id}, ${purpose}, '', ${`2026-01-01 ${sentAt}Z`}::timestamptz + interval '3 hours')`
  }
  await add('a-first', '00:05:01')
  await add('b-later', '00:06')
  await add('c-of-provider', '00:05:01', { passwordHash: noPassword })
  await add('d-reset', '00:05:01', { purpose: 'reset' })
  await migrateDatabase(older.url)
  const rows = await older.db.select().from(mailTokens).orderBy(asc(mailTokens.tokenHash))
  expect(rows.map(({ passwordHash }) => passwordHash)).toEqual(['hash of a-first', null, null, null])
  await older.drop()
})
