import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BlobStore } from '../../server/files/blob-store.ts'
import { createMemoryBlobStore, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { aChallengeRow, aUserRow, createSettingRows } from '../imports/testing/ctfd-export.ts'
import { countAllRows } from './testing/everything.ts'
import { createHostileArchives } from './testing/hostile.ts'
import { createRawZip, type RawEntry } from './testing/raw-zip.ts'
import { createChallengeFileText, createPackageTexts } from './testing/zip.ts'

let context: TestApp
let admin: TestClient
let gameId: number
const blobs: BlobStore & { readonly contents: Map<string, Buffer> } = createMemoryBlobStore()
beforeAll(async () => {
  context = await startTestApp({ deps: { blobs } })
  admin = (await signInAsNewUser(context, 'Admin')).client
  gameId = (await aGame(context.db)).id
})
afterAll(() => context.close())

async function everything() {
  return { rows: await countAllRows(context.sql), blobs: [...blobs.contents.keys()] }
}

function table(rows: readonly object[]): string {
  return JSON.stringify({ count: rows.length, results: rows, meta: {} })
}
const content = 'the task'
const hash = createHash('sha256').update(content).digest('hex')

/**
 * Calls that accept archives. For each call, `texts` contains the files of an archive that the call accepts. `attached` is the
 * name of a file that the call stores unchanged.
 */
const kinds = {
  'an export of CTFd': {
    call: () => '/api/admin/imports/ctfd',
    attached: 'uploads/a/task.txt',
    texts: {
      'db/config.json': table(createSettingRows('users')),
      'db/users.json': table([aUserRow(1)]),
      'db/challenges.json': table([aChallengeRow(1)]),
      'db/files.json': table([{ id: 1, type: 'challenge', challenge_id: 1, location: 'a/task.txt' }]),
    },
  },
  'an archive of challenge files': {
    call: () => `/api/edit/games/${gameId}/challenges/import`,
    attached: 'a/task.txt',
    texts: { 'a/capstan.yaml': createChallengeFileText('A', 'attachments: [{ file: task.txt }]') },
  },
  'the package of a game': {
    call: () => '/api/edit/games/import',
    attached: `files/${hash}`,
    texts: createPackageTexts({}, { attachment: { type: 'Local', hash, fileName: 'task.txt' } }),
  },
} as const

/** All calls use the same archive reader. Therefore each call is tested with only one sixth of the archives. */
const step = 6

describe.each(Object.entries(kinds).map(([name, kind], place) => [name, kind, place] as const))('%s', (_, kind, place) => {
  const { call, attached, texts } = kind
  const sound: RawEntry[] = [
    ...Object.entries(texts).map(([name, text]) => ({ name, content: text })),
    { name: attached, content },
  ]
  const send = (zip: Buffer) => admin.upload('POST', call(), [{ field: 'file', name: 'a.zip', content: zip }])

  const archives = createHostileArchives(sound, attached).filter((_archive, index) => index % step === place)

  test.each(archives)('an archive with %s is refused with a reason, and nothing is written', async (_what, zip, why) => {
    const before = await everything()
    const response = await send(zip())
    const { code, detail } = response.json()
    expect([response.statusCode, code]).toEqual([400, 'import.archive'])
    expect(detail).toMatch(why)
    expect(detail).toMatch(/^[^\p{Cc}]{10,400}\.$/u)
    expect(await everything()).toEqual(before)
  })

  test('an archive that contains another archive is refused, and the inner archive is not opened', async () => {
    const before = await everything()
    const nested = createRawZip([
      { name: 'inner.zip', content: createRawZip([{ name: 'zeros', content: Buffer.alloc(1024 ** 2), isDeflated: true }]) },
    ])
    const response = await send(nested)
    expect([response.statusCode, response.json().code]).toEqual([400, 'import.archive'])
    expect(await everything()).toEqual(before)
  })

  test('a valid archive is accepted', async () => {
    expect((await send(createRawZip(sound))).statusCode).toBe(200)
  })
})
