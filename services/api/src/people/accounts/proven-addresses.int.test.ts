import { migrateDatabase } from '@capstan/db/migrate'
import { noPassword, users } from '@capstan/db/schema/accounts'
import { migrateToVersionBefore } from '@capstan/db/testing/older-database'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { expect, test } from 'vitest'

test('the migration marks an address as proven if a mail activated the account or no provider created it', async () => {
  const older = await createTestDatabase({ template: 'template1' })
  await migrateToVersionBefore(older.sql, '0061_proven_addresses')
  const [provider] = await older.sql`
    insert into sign_in_providers (id, key, kind, name, issuer, client_id, scope, claims)
    values (gen_random_uuid(), 'campus', 'OpenId', 'Campus', 'https://id.example.org', 'capstan', '', '{}') returning id`
  /** Adds an account that was registered at minute 5. @param linkedAt minute of the link to the provider */
  const add = async (name: string, values: { isActive?: boolean; passwordHash?: string; linkedAt?: number }) => {
    const { isActive = true, passwordHash = 'hash', linkedAt } = values
    const [user] = await older.sql`
      insert into users (user_name, email, password_hash, email_confirmed, registered_at)
      values (${name}, ${`${name}@example.org`}, ${passwordHash}, ${isActive}, '2026-01-01 00:05Z') returning id`
    if (linkedAt !== undefined)
      await older.sql`
        insert into sign_in_identities (provider_id, subject, user_id, label, linked_at)
        values (${provider!.id}, ${name}, ${user!.id}, '', ${`2026-01-01 00:0${linkedAt}Z`})`
  }
  await add('registered', {})
  await add('linked-later', { linkedAt: 6 })
  await add('activated-by-mail', { linkedAt: 4, passwordHash: noPassword })
  await add('inactive', { isActive: false })
  await add('by-provider', { linkedAt: 5, passwordHash: noPassword })
  await add('by-provider-with-password', { linkedAt: 5 })
  await add('link-of-creation-deleted', { passwordHash: noPassword })
  await migrateDatabase(older.url)
  const rows = await older.db.select({ email: users.email, provenEmail: users.provenEmail }).from(users)
  expect(rows.flatMap(({ email, provenEmail }) => (email === provenEmail ? [email] : [])).sort()).toEqual([
    'activated-by-mail@example.org',
    'linked-later@example.org',
    'registered@example.org',
  ])
  expect(rows.filter(({ provenEmail }) => provenEmail === null)).toHaveLength(4)
  await older.drop()
})
