import { loginFailures, mailTokens, sessions } from '@capstan/db/schema/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aUser } from '../../testing/factories.ts'
import { deleteExpiredSessionsAndLinks } from './upkeep.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

test('deletes expired sessions, mailed links that expired a week ago, and old login failures', async () => {
  const { id: userId } = await aUser(context.db)
  const at = (ms: number) => new Date(context.clock.now().getTime() + ms)
  const [past, future, aWeekAgo] = [at(-1), at(1000), at(-7 * 24 * 3600_000)]
  await context.db.insert(sessions).values([
    { tokenHash: 'old', userId, expiresAt: past },
    { tokenHash: 'live', userId, expiresAt: future },
  ])
  await context.db.insert(mailTokens).values([
    { tokenHash: 'old', userId, purpose: 'reset', email: 'a@example.org', expiresAt: new Date(aWeekAgo.getTime() - 1) },
    { tokenHash: 'live', userId, purpose: 'reset', email: 'a@example.org', expiresAt: aWeekAgo },
  ])
  await context.db.insert(loginFailures).values([
    { key: 'old', lastFailureAt: at(-15 * 60_000 - 1) },
    { key: 'live', lastFailureAt: at(-60_000) },
  ])
  await deleteExpiredSessionsAndLinks({ ...context.deps, sessions: context.app.sessions })
  const keys = [
    ...(await context.db.select().from(sessions)).map(({ tokenHash }) => tokenHash),
    ...(await context.db.select().from(mailTokens)).map(({ tokenHash }) => tokenHash),
    ...(await context.db.select().from(loginFailures)).map(({ key }) => key),
  ]
  expect(keys).toEqual(['live', 'live', 'live'])
})
