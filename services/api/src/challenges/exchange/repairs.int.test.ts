import { createHash } from 'node:crypto'
import type { ImportPreview } from '@capstan/contract/exchange'
import { challenges } from '@capstan/db/schema/challenges'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { createZipFile } from '../archives/testing/zip.ts'

let context: TestApp
let admin: TestClient
let gameId: number
beforeAll(async () => {
  context = await startTestApp()
  admin = (await signInAsNewUser(context, 'Admin')).client
})
beforeEach(async () => {
  gameId = (await aGame(context.db)).id
})
afterAll(() => context.close())

function send(path: string, query = '') {
  const files = [{ field: 'file', name: 'a.zip', content: archive }]
  return admin.upload('POST', `/api/edit/games/${gameId}/challenges/import${path}${query}`, files)
}
async function preview(query = ''): Promise<ImportPreview> {
  return (await send('/preview', query)).json()
}
async function stored() {
  const rows = await context.db.select().from(challenges).where(eq(challenges.gameId, gameId)).orderBy(challenges.id)
  return rows.map(({ title, isEnabled, port, memoryMb, cpuTenths }) => [title, isEnabled, port, memoryMb, cpuTenths])
}

const ready = 'name: Ready\ncategory: misc\ndescription: Guess it\nflag: flag{guess}\n'
function ctfcli(name: string, category: string) {
  return `name: ${name}\ncategory: ${category}\ndescription: Look\nvalue: 100\ntype: standard\nflags: ["flag{look}"]\n`
}
const archive = createZipFile({
  'a/challenge.yaml': ready,
  'b/challenge.yml': `${ctfcli('Served', 'web')}image: registry.example.org/served:1\n`,
  'c/challenge.yml': ctfcli('Talk', 'crypto'),
  'c/Dockerfile': 'FROM alpine:3\nEXPOSE 4000\nEXPOSE 5000/tcp 4000\nCMD ["serve"]\n',
})

test('a preview groups all findings, with the ports that a Dockerfile exposes', async () => {
  const { groups, challenges: shown } = await preview()
  const of = (repair: string) => groups.filter((group) => group.repair === repair)
  expect(of('enable').map(({ urgency, count }) => [urgency, count])).toEqual([['action', 3]])
  expect(of('limits').map(({ why, count }) => [why, count])).toEqual([
    ['No limit is given, so the platform gives each instance 64 MB of memory and 0.1 cores.', 2],
  ])
  const ports = shown[2]!.findings.filter(({ repair }) => repair === 'port')
  expect(ports.map(({ why, ports: named }) => [why, named])).toEqual([
    ['The file names several ports, so 5000 is used.', [4000, 5000]],
  ])
  const urgencies = groups.map(({ urgency }) => urgency)
  expect(urgencies).toEqual(urgencies.toSorted())
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(shown.flatMap(({ findings }) => findings).length)
})

test('a repair changes the preview and removes its findings', async () => {
  const { challenges: shown, groups } = await preview('?enableAll=true&defaultMemoryMb=256&defaultCpuTenths=5&ports=2:4000')
  expect(shown.map(({ title, isEnabled }) => [title, isEnabled])).toEqual([
    ['Ready', true],
    ['Served', true],
    ['Talk', false],
  ])
  expect(shown.map(({ container }) => container && [container.port, container.memoryLimit, container.cpuCount])).toEqual([
    null,
    [80, 256, 5],
    [4000, 256, 5],
  ])
  expect(groups.flatMap(({ repair, findings }) => (repair ? findings.map(({ file }) => [repair, file]) : []))).toEqual([
    ['port', 'b/challenge.yml'],
    ['enable', 'c/challenge.yml'],
  ])
})

test('an import with repairs stores what the preview shows', async () => {
  const repairs = 'enableAll=true&defaultMemoryMb=256&ports=1:8080,2:4000'
  const { digest } = await preview(`?${repairs}`)
  expect((await send('', `?${repairs}&digest=${digest}`)).statusCode).toBe(200)
  expect(await stored()).toEqual([
    ['Ready', true, expect.any(Number), 64, 1],
    ['Served', true, 8080, 256, 1],
    ['Talk', false, 4000, 256, 1],
  ])
})

test('an import without repairs enables no challenge', async () => {
  const { digest } = await preview()
  expect(digest).toBe(createHash('sha256').update(archive).digest('hex'))
  expect((await send('', `?enableAll=false&digest=${digest}`)).statusCode).toBe(200)
  expect((await stored()).map(([, isEnabled]) => isEnabled)).toEqual([false, false, false])
})

test('an import is refused if its repairs differ from the preview', async () => {
  const { digest } = await preview('?defaultMemoryMb=256')
  for (const query of ['', 'defaultMemoryMb=512&', 'defaultMemoryMb=256&enableAll=true&'])
    expect((await send('', `?${query}digest=${digest}`)).json().code).toBe('import.changed')
  expect(await stored()).toEqual([])
})

test('an import of some challenges with `enableAll` enables only the imported challenges', async () => {
  expect((await send('', '?enableAll=true&take=1')).statusCode).toBe(200)
  expect((await stored()).map(([title, isEnabled]) => [title, isEnabled])).toEqual([['Served', true]])
})

test.each(['ports=0:80', 'ports=9:80', 'ports=1:0', 'ports=1:70000', 'ports=1', 'defaultMemoryMb=1'])(
  'a preview refuses the repair %s',
  async (query) => {
    expect((await send('/preview', `?${query}`)).statusCode).toBe(400)
  },
)

test('an import that enables challenges of a running game notifies players once for each challenge', async () => {
  expect((await send('', '?enableAll=true')).statusCode).toBe(200)
  const notices = (await admin.get(`/api/game/${gameId}/notices`)).json() as { type: string; values: string[] }[]
  expect(
    notices
      .filter(({ type }) => type === 'NewChallenge')
      .map(({ values }) => values[0])
      .sort(),
  ).toEqual(['Ready', 'Served'])
})
