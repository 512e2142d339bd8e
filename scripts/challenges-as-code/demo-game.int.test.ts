import path from 'node:path'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { aUser } from '@capstan/api/testing/factories'
import { password } from '@capstan/api/testing/people-factories'
import { operations, ownOperations } from '@capstan/contract/operations'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SeedOptions, seedDemoGame } from '../../e2e/challenges/seed.ts'
import { createSolveContext, loadSolver } from '../../e2e/challenges/solve-context.ts'
import { ApiActor } from '../../e2e/support/actors.ts'
import { aToken, fetchFromApp, runCapstan } from './testing/command.ts'

const noon = Date.UTC(2026, 4, 1, 12)

let context: TestApp
let organizer: ApiActor
let seed: (options?: Partial<SeedOptions>) => ReturnType<typeof seedDemoGame>
beforeAll(async () => {
  context = await startTestApp()
  await aUser(context.db, { userName: 'Organizer', role: 'Admin', passwordHash: await context.deps.passwords.hash(password) })
  const baseUrl = await context.app.listen({ port: 0, host: '127.0.0.1' })
  organizer = new ApiActor(baseUrl)
  await organizer.logIn('Organizer', password)
  seed = (options) => seedDemoGame({ baseUrl, adminName: 'Organizer', adminPassword: password, now: () => noon, ...options })
})
afterAll(() => context.close())

async function games() {
  return (await organizer.call(operations.adminListGames, { query: { count: 100, skip: 0 } })).data
}

test('a demo game whose import was interrupted is hidden until the next attempt completes it', async () => {
  const log = (line: string): void => {
    if (line.includes('signal-hoist')) throw new Error('killed')
  }
  await expect(seed({ log })).rejects.toThrow('killed')
  const [begun] = await games()
  expect(begun).toMatchObject({ hidden: true, start: '2026-05-02T12:00:00.000Z' })

  const { gameId, created } = await seed()
  expect({ gameId, created }).toEqual({ gameId: begun?.id, created: true })
  const params = { id: gameId }
  expect(await organizer.call(operations.adminGetGame, { params })).toMatchObject({
    title: 'Harbour Trials',
    hidden: false,
    start: '2026-05-01T11:00:00.000Z',
    end: '2026-05-08T12:00:00.000Z',
    acceptWithoutReview: true,
    practiceMode: true,
    organizations: ['Open Water', 'Cadets'],
    poster: expect.stringContaining('/assets/'),
  })
  const notices = await organizer.call(operations.listNotices, { params })
  expect(notices.map(({ type }) => type)).toEqual(['Normal'])
})

test('an existing demo game is not changed, even if it has another title', async () => {
  const [game] = await games()
  const params = { id: game!.id }
  expect(await seed()).toEqual({ gameId: params.id, created: false })
  await organizer.call(operations.updateGame, { params, body: { ...game!, title: 'Our trials' } })
  expect(await seed()).toEqual({ gameId: params.id, created: false })
  await organizer.call(operations.updateGame, { params, body: game! })
})

test('applying the files of the demo game a second time changes nothing', async () => {
  const { gameId } = await seed()
  const token = await aToken(context, { scope: 'WriteChallenges', gameId })
  // The commands that generate the files of the demo game call `node`.
  const PATH = `${path.dirname(process.execPath)}:${process.env.PATH ?? ''}`
  const shell = { send: fetchFromApp(context), token, environment: { PATH } }
  const folder = path.join(import.meta.dirname, '../../e2e/challenges')
  expect(await runCapstan(shell, 'plan', folder)).toMatchObject({ code: 0, text: expect.stringContaining('No changes.') })
  expect(await runCapstan(shell, 'apply', folder)).toMatchObject({ code: 0 })
  expect(await runCapstan(shell, 'plan', folder)).toMatchObject({ code: 0 })
})

test('each flag that a rule generates has a separate file, whose name does not contain the flag', async () => {
  const { gameId } = await seed()
  const briefs = await organizer.call(operations.adminListChallenges, { params: { id: gameId } })
  const { id: cid } = briefs.find(({ title }) => title === 'Soundings That Lie')!
  const { flags } = await organizer.call(operations.adminGetChallenge, { params: { id: gameId, cid } })
  expect(flags.map(({ attachment }) => attachment?.url?.split('/').at(-1)).sort()).toEqual(
    Array.from({ length: 24 }, (_, index) => `${index + 1}-soundings.pcap`).sort(),
  )
  expect(new Set(flags.map(({ flag }) => flag)).size).toBe(24)
  const attachment = async () => (await organizer.get(flags[0]!.attachment!.url!)).bytes()
  expect(await (await loadSolver('soundings'))(createSolveContext({ description: '', attachment }))).toBe(flags[0]!.flag)
})

test('images use the configured repository, and challenges that use HTTP declare it', async () => {
  const [old] = await games()
  await organizer.call(operations.deleteGame, { params: { id: old!.id } })
  const { gameId } = await seed({ imagePrefix: 'registry.example.org/ctf/', imageTag: 'v1.0.0' })
  const briefs = await organizer.call(operations.adminListChallenges, { params: { id: gameId } })
  const paramsOf = (title: string) => ({ id: gameId, cid: briefs.find((each) => each.title === title)!.id })
  expect(await organizer.call(operations.adminGetChallenge, { params: paramsOf("The Harbourmaster's Seal") })).toMatchObject({
    containerImage: 'registry.example.org/ctf/harbour-seal:v1.0.0',
    containerExposePort: 1337,
    memoryLimit: 96,
    cpuCount: 2,
    storageLimit: 128,
    flagTemplate: 'flag{sealed_blind_and_cast_off_[TEAM_HASH]}',
    isEnabled: true,
  })
  const params = paramsOf("Halloran's Chandlery")
  expect(await organizer.call(ownOperations.getChallengeReach, { params })).toMatchObject({ speaks: 'http', isRaw: false })
})
