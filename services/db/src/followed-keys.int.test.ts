import { expect, test } from 'vitest'
import { createTestDatabase } from './testing/test-database.ts'

test('every foreign key that PostgreSQL checks when a team or a participation is deleted has an index', async () => {
  const { sql, drop } = await createTestDatabase()
  const unindexed = await sql`
    select format('%s.%s', key.conrelid::regclass, attribute.attname) as followed
    from pg_constraint as key
    join pg_attribute as attribute on attribute.attrelid = key.conrelid and attribute.attnum = key.conkey[1]
    where key.contype = 'f' and key.confrelid in ('teams'::regclass, 'participations'::regclass)
      and not exists (select 1 from pg_index where indrelid = key.conrelid and indkey[0] = key.conkey[1])
    order by 1`
  expect(unindexed.map(({ followed }) => followed)).toEqual([])
  await drop()
})

test('the tables participation_members and solves have an index on the column user_id', async () => {
  const { sql, drop } = await createTestDatabase()
  const indexed = await sql`
    select indrelid::regclass::text as name from pg_index
    join pg_attribute on attrelid = indrelid and attnum = indkey[0] and attname = 'user_id'
    where indrelid in ('participation_members'::regclass, 'solves'::regclass) order by 1`
  expect(indexed.map(({ name }) => name)).toEqual(['participation_members', 'solves'])
  await drop()
})
