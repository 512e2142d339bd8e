import type { ChallengeReadiness } from '@capstan/contract/readiness'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aChallenge, aGame, anInstance } from '../../testing/organizing-factories.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

const image = 'example.org/seal:1'

/**
 * Inserts a test instance that has ended. If `host` is set, the instance was ready before it ended. Without `furtherImages`, the
 * row looks like a row of an earlier version.
 */
function aTestRun(
  { id, gameId }: { id: number; gameId: number },
  values: { image: string; furtherImages?: string[]; host: string | null },
) {
  return anInstance(context.db, { ...values, challengeId: id, gameId, endedAt: new Date() })
}

test('shows whether each challenge has a flag and an image, and whether a test instance of the image was ready', async () => {
  const game = await aGame(context.db, { phase: 'upcoming' })
  const common = { gameId: game.id, isEnabled: true }
  const file = await aChallenge(context.db, { ...common, title: 'File', flags: ['flag{a}', 'flag{b}'] })
  const draft = await aChallenge(context.db, { ...common, title: 'Draft', isEnabled: false })
  const bare = await aChallenge(context.db, { ...common, title: 'Bare', type: 'DynamicContainer' })
  const container = { ...common, type: 'DynamicContainer', containerImage: image } as const
  const [ran, failed, older] = [
    await aChallenge(context.db, { ...container, title: 'Ran' }),
    await aChallenge(context.db, { ...container, title: 'Failed' }),
    await aChallenge(context.db, { ...container, title: 'Older' }),
  ]
  await aTestRun(ran, { image, host: '10.0.0.1' })
  await aTestRun(failed, { image, host: null })
  await aTestRun(older, { image: 'example.org/seal:0', host: '10.0.0.1' })
  const read = await admin.get(`/api/edit/games/${game.id}/challenges/readiness`)
  const enabled = { isEnabled: true, hasFlag: true, hasImage: true }
  expect(read.json()).toEqual([
    { ...enabled, id: file.id, title: 'File', hasImage: null, hasRun: null },
    { id: draft.id, title: 'Draft', isEnabled: false, hasFlag: false, hasImage: null, hasRun: null },
    { ...enabled, id: bare.id, title: 'Bare', hasImage: false, hasRun: false },
    { ...enabled, id: ran.id, title: 'Ran', hasRun: true },
    { ...enabled, id: failed.id, title: 'Failed', hasRun: false },
    { ...enabled, id: older.id, title: 'Older', hasRun: false },
  ])
  expect((await admin.get(`/api/edit/games/${2 ** 31 - 1}/challenges/readiness`)).json()).toEqual([])
  const [listed] = (await admin.get(`/api/admin/games/list?hint=${game.id}`)).json().data
  expect(listed.challenges).toEqual({ total: 6, enabled: 5, withoutFlag: 1, containers: 4, withoutImage: 1, untested: 2 })
})

test('a challenge counts as untested if the image of one container has changed since the test', async () => {
  const game = await aGame(context.db)
  const small = { cpuTenths: 1, memoryMb: 64, storageMb: 64, definition: {} }
  const network = (title: string, ...images: string[]) =>
    aChallenge(context.db, {
      ...{ gameId: game.id, title, type: 'DynamicContainer', containerImage: image },
      furtherContainers: images.map((each, index) => ({ ...small, name: `c${index}`, image: each })),
    })
  const bare = await network('Bare', 'db:2', '')
  const ran = await network('Ran', 'db:2', 'bot:1')
  const older = await network('Older', 'db:2', 'bot:1')
  const alone = await network('Alone', 'db:2')
  const former = await network('Former', 'db:2')
  await aTestRun(bare, { image, furtherImages: ['db:2', 'bot:1'], host: '10.0.0.1' })
  await aTestRun(ran, { image, furtherImages: ['db:2', 'bot:1'], host: '10.0.0.1' })
  await aTestRun(older, { image, furtherImages: ['db:1', 'bot:1'], host: '10.0.0.1' })
  await aTestRun(alone, { image, furtherImages: [], host: '10.0.0.1' })
  await aTestRun(former, { image, host: '10.0.0.1' })
  const rows = (await admin.get(`/api/edit/games/${game.id}/challenges/readiness`)).json() as ChallengeReadiness[]
  expect(rows.map(({ title, hasImage, hasRun }) => [title, hasImage, hasRun])).toEqual([
    ['Bare', false, false],
    ['Ran', true, true],
    ['Older', true, false],
    ['Alone', true, false],
    ['Former', true, true],
  ])
  const reports = [ran, older, alone, former].map(({ id }) =>
    admin.get(`/api/edit/games/${game.id}/challenges/${id}/container/log`),
  )
  expect((await Promise.all(reports)).map((report) => report.json().hasRun)).toEqual([true, false, false, true])
})

test('the list of games shows counts of challenges only for games that have not started', async () => {
  const game = await aGame(context.db, { title: 'On its way' })
  await aChallenge(context.db, { gameId: game.id })
  const empty = await aGame(context.db, { title: 'On its way', phase: 'upcoming' })
  const { data } = (await admin.get('/api/admin/games/list?hint=on%20its%20way')).json()
  expect(data.map(({ id, challenges }: { id: number; challenges: unknown }) => [id, challenges])).toEqual([
    [empty.id, { total: 0, enabled: 0, withoutFlag: 0, containers: 0, withoutImage: 0, untested: 0 }],
    [game.id, null],
  ])
})
