import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, aNotice, aParticipation, aSubmission } from '../../testing/organizing-factories.ts'

let context: TestApp
beforeAll(async () => {
  context = await startTestApp()
})
afterAll(() => context.close())

const migration = fileURLToPath(import.meta.resolve('../../../../db/migrations/0021_names_of_notices_and_events.sql'))

/** Runs only those statements of the migration that change rows. */
async function migrateRows() {
  const statements = (await readFile(migration, 'utf8')).split('--> statement-breakpoint').map((part) => part.trim())
  for (const statement of statements.filter((part) => /^(?:--.*\n)?(?:update|delete)/i.test(part)))
    await context.sql.unsafe(statement)
}

test('the migration sets team and challenge of an old notice from its solve or from the stored names', async () => {
  const challenge = await aChallenge(context.db, { title: 'Windlass' })
  const { gameId } = challenge
  const [renamed, other] = [await aParticipation(context.db, { gameId }), await aParticipation(context.db, { gameId })]
  const solvedAt = new Date(Date.now() - 60_000)
  await aSubmission(context.db, renamed, challenge.id, { status: 'Accepted', submittedAt: solvedAt, solve: true })
  await context.sql`alter table notices disable trigger resolve_names`
  await aNotice(context.db, { gameId, type: 'FirstBlood', values: ['An old name', 'Windlass'], publishedAt: solvedAt })
  await aNotice(context.db, { gameId, type: 'SecondBlood', values: [other.team.name, 'Windlass'] })
  await aNotice(context.db, { gameId, type: 'NewHint', values: ['Windlass'] })
  await aNotice(context.db, { gameId, type: 'NewChallenge', values: ['Deleted'] })
  await context.sql`alter table notices enable trigger resolve_names`
  await migrateRows()
  const list: { values: string[] }[] = (await createTestClient(context.app).get(`/api/game/${gameId}/notices`)).json()
  expect(list.map(({ values }) => values)).toEqual([['Windlass'], [other.team.name, 'Windlass'], [renamed.team.name, 'Windlass']])
})
