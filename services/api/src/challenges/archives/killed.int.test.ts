import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createTestDatabase } from '@capstan/db/testing/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCrashingPlatform } from '../../testing/crash/platform.ts'
import { aSession, aUser } from '../../testing/factories.ts'
import { isFullRun } from '../../testing/full-run.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { aChallengeRow, aUserRow, createExportZip, createSettingRows } from '../imports/testing/ctfd-export.ts'
import { countAllRows, listAllFiles } from './testing/everything.ts'
import { createChallengeFileText, createPackageZip, createZipFile } from './testing/zip.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let platform: ReturnType<typeof createCrashingPlatform>
let cookie: string
let gameId: number
let origin: string
const folder = mkdtempSync(path.join(tmpdir(), 'capstan-killed-'))
const [blobs, temporary] = [path.join(folder, 'blobs'), path.join(folder, 'tmp')]
beforeAll(async () => {
  mkdirSync(temporary)
  database = await createTestDatabase()
  platform = createCrashingPlatform(database.url, undefined, { CAPSTAN_BLOB_FOLDER: blobs, TMPDIR: temporary })
  origin = await platform.start()
  cookie = await aSession(database.db, (await aUser(database.db, { role: 'Admin' })).id)
  gameId = (await aGame(database.db)).id
})
afterAll(async () => {
  await platform.kill()
  await database.drop()
  rmSync(folder, { recursive: true })
})

/** Returns the content of the attached file. The content differs for each import. */
function contentOf(table: string, kind: string): string {
  return `${table} of ${kind}`.replaceAll(' ', '-').slice(0, 15)
}

/** Counts rows and files of the whole platform. */
async function everything() {
  return {
    rows: await countAllRows(database.sql),
    files: [...listAllFiles(blobs), ...listAllFiles(temporary)],
  }
}

/** Kinds of imports. Each kind has a call, and a function that creates an archive from the given content. */
const kinds = {
  'an export of CTFd': {
    call: () => '/api/admin/imports/ctfd',
    archive: (content: string) =>
      createExportZip(
        {
          config: createSettingRows('users'),
          users: [aUserRow(1, { name: content, email: `${content}@example.org` })],
          challenges: [aChallengeRow(1)],
          files: [{ id: 1, type: 'challenge', challenge_id: 1, location: 'a/task.txt' }],
          awards: [{ id: 1, user_id: 1, team_id: null, name: 'x', value: 5, date: '2023-11-15T00:00:00', type: 'standard' }],
        },
        { 'a/task.txt': content },
      ),
    lastTable: 'awards',
  },
  'the package of a game': {
    call: () => '/api/edit/games/import',
    archive: (content: string) => {
      const hash = createHash('sha256').update(content).digest('hex')
      const attachment = { type: 'Local', hash, fileName: 'task.txt', fileSize: content.length }
      return createPackageZip({ title: content }, { attachment }, { [`files/${hash}`]: content })
    },
    lastTable: 'flags',
  },
  'challenges as files': {
    call: () => `/api/edit/games/${gameId}/challenges/import`,
    archive: (content: string) =>
      createZipFile({
        'a/capstan.yaml': createChallengeFileText(content, 'attachments: [{ file: task.txt }]\n'),
        'a/task.txt': content,
      }),
    lastTable: 'flags',
  },
} as const

async function send(kind: keyof typeof kinds, content: string): Promise<number | 'broken'> {
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(kinds[kind].archive(content))]), 'a.zip')
  return fetch(origin + kinds[kind].call(), { method: 'POST', headers: { cookie }, body }).then(
    ({ status }) => status,
    () => 'broken' as const,
  )
}

/** Blocks an import at its first write to a table, and then kills the api process. */
async function killAt(table: string, kind: keyof typeof kinds): Promise<void> {
  const blocked = Promise.withResolvers<void>()
  const holding = database.sql.begin(async (sql) => {
    await sql`lock table ${sql(table)} in exclusive mode`
    await blocked.promise
  })
  const sent = send(kind, contentOf(table, kind))
  const waiting = async () =>
    (await database.sql`select count(*)::int as n from pg_locks where not granted and relation = ${table}::regclass`)[0]?.n
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1)
  await platform.kill()
  blocked.resolve()
  await holding
  expect(await sent).toBe('broken')
  // Wait until the locks of the killed process are released. The database ends the session of the process only after a delay.
  const countForeignLocks = async () =>
    (
      await database.sql`select count(*)::int as n from pg_locks where relation = 'files'::regclass and pid <> pg_backend_pid()`
    )[0]?.n
  await expect.poll(countForeignLocks, { timeout: 60_000 }).toBe(0)
}

/** Makes staged files old enough for the sweep, which deletes unused files. */
function letTimePass(): void {
  const daysAgo = new Date(Date.now() - 2 * 24 * 3_600_000)
  for (const file of listAllFiles(blobs)) if (!file.includes('/files/')) utimesSync(file, daysAgo, daysAgo)
}

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('the import of %s', (kind) => {
  test.each([...(isFullRun ? ['files'] : []), kinds[kind].lastTable])(
    'leaves no data behind if the process is killed while it writes the table %s',
    async (table) => {
      const before = await everything()
      await killAt(table, kind)
      // The import stored its file before the kill. The sweep must delete this file.
      expect(listAllFiles(blobs).length).toBe(before.files.length + 1)
      letTimePass()
      origin = await platform.start()
      await expect.poll(everything, { timeout: 60_000 }).toEqual(before)
    },
    180_000,
  )

  test('leaves no data behind if the process is killed during the upload, and a second upload succeeds', async () => {
    const before = await everything()
    const archive = kinds[kind].archive(contentOf('again', kind))
    const head = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n`
    const sending = request(origin + kinds[kind].call(), {
      method: 'POST',
      headers: { cookie, 'content-type': 'multipart/form-data; boundary=x', 'content-length': head.length + archive.length + 9 },
    })
    const broken = new Promise((resolve) => sending.on('error', resolve))
    sending.write(head)
    await new Promise((resolve) => sending.write(archive.subarray(0, archive.length / 2), resolve))
    // When this call returns, the api has also read the first half of the upload.
    expect((await platform.call('/api/account/profile', cookie)).status).toBe(200)
    // The temporary file must be unlinked already. Otherwise a kill would leave it behind.
    const isNameless = () =>
      platform.listOpenFiles().some((file) => file.includes('capstan-import-') && file.endsWith('(deleted)'))
    if (process.platform === 'linux') await expect.poll(isNameless).toBe(true)
    await platform.kill()
    await broken
    origin = await platform.start()
    expect(await everything()).toEqual(before)
    expect(await send(kind, contentOf('again', kind))).toBe(200)
    expect((await everything()).files).toHaveLength(before.files.length + 1)
  })
})
