import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { files as filesTable } from '@capstan/db/schema/platform'
import { eq } from 'drizzle-orm'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { addFileReferences, deleteUnreferencedFiles, releaseFiles, storeContentWithoutReference, storeFile } from './service.ts'

let context: TestApp
let admin: TestClient
beforeAll(async () => {
  context = await startTestApp({ config: { maxAttachmentBytes: 1000 } })
  admin = (await signInAsNewUser(context, 'Admin')).client
})
afterAll(() => context.close())

function hashOf(content: string | Buffer) {
  return createHash('sha256').update(content).digest('hex')
}
function upload(name: string, content: string | Buffer) {
  return admin.upload('POST', '/api/assets', [{ field: 'files', name, content }])
}
async function rowOf(hash: string) {
  return (await context.db.select().from(filesTable).where(eq(filesTable.hash, hash)))[0]
}

describe('uploads of files', () => {
  test('an upload returns hash and name of each file in order, and skips empty files', async () => {
    const response = await admin.upload('POST', '/api/assets', [
      { field: 'files', name: 'one.txt', content: 'first' },
      { field: 'files', name: 'empty.txt', content: '' },
      { field: 'files', name: 'two.txt', content: 'second' },
    ])
    expect([response.statusCode, response.json()]).toEqual([
      200,
      [
        { hash: hashOf('first'), name: 'one.txt' },
        { hash: hashOf('second'), name: 'two.txt' },
      ],
    ])
  })

  test.each([
    ['an empty file', ['']],
    ['two empty files', ['', '']],
  ])('an upload is refused if it contains nothing but %s', async (_what, contents) => {
    const empty = contents.map((content, index) => ({ field: 'files', name: `empty-${index}.txt`, content }))
    const response = await admin.upload('POST', '/api/assets', empty)
    expect([response.statusCode, response.json().code]).toEqual([400, 'file.missing'])
    expect(await rowOf(hashOf(''))).toBeUndefined()
  })

  test.each<[string, { field: string; name: string; content: string }[]]>([
    ['without a file', []],
    ['with a file in another form field', [{ field: 'file', name: 'a.txt', content: 'elsewhere' }]],
  ])('an upload %s is refused, and the detail names the expected field', async (_what, parts) => {
    const response = await admin.upload('POST', '/api/assets', parts)
    expect([response.statusCode, response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'file.missing', detail: 'The form field "files" holds no file, or an empty one.' }),
    ])
    expect(await rowOf(hashOf('elsewhere'))).toBeUndefined()
  })

  test.each(['/api/account/avatar', '/api/admin/imports/ctfd', '/api/edit/games/import', '/api/admin/config/logo'])(
    'the call %s refuses a body without a file',
    async (path) => {
      const response = await admin.upload(path.endsWith('avatar') ? 'PUT' : 'POST', path, [])
      expect([response.statusCode, response.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'file.missing', detail: expect.stringContaining('"file"') }),
      ])
    },
  )

  test('an upload stores every file under the name in the query, if the query has one', async () => {
    const response = await admin.upload('POST', '/api/assets?filename=renamed.bin', [
      { field: 'files', name: 'x.txt', content: 'to be renamed' },
    ])
    expect(response.json()).toEqual([{ hash: hashOf('to be renamed'), name: 'renamed.bin' }])
  })

  test('an upload renames the file and adds a reference if the content is already stored', async () => {
    await upload('old-name.txt', 'twice')
    await upload('new-name.txt', 'twice')
    expect(await rowOf(hashOf('twice'))).toMatchObject({ name: 'new-name.txt', referenceCount: 2, sizeBytes: 5 })
  })

  test('every reference is counted if many concurrent calls upload the same content', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, index) => upload(`${index}.txt`, 'at once')))
    expect(await rowOf(hashOf('at once'))).toMatchObject({ referenceCount: 8 })
    expect(context.blobs.contents.get(`files/${hashOf('at once')}`)?.toString()).toBe('at once')
  })

  test('finished and refused uploads leave no temporary files in the blob store', () => {
    expect([...context.blobs.contents.keys()].filter((key) => !key.startsWith('files/'))).toEqual([])
  })

  test('a file that is one byte over the configured limit is refused and not stored', async () => {
    expect((await upload('fits.bin', Buffer.alloc(1000, 1))).statusCode).toBe(200)
    const response = await upload('large.bin', Buffer.alloc(1001, 2))
    expect([response.statusCode, response.json().code]).toEqual([400, 'file.too-large'])
    expect(await rowOf(hashOf(Buffer.alloc(1000, 2)))).toBeUndefined()
    expect([...context.blobs.contents.keys()].filter((key) => !key.startsWith('files/'))).toEqual([])
  })

  test('no file of an upload is stored if one file is too large', async () => {
    const response = await admin.upload('POST', '/api/assets', [
      { field: 'files', name: 'small.bin', content: 'small beside a large one' },
      { field: 'files', name: 'large.bin', content: Buffer.alloc(1001, 3) },
    ])
    expect(response.json().code).toBe('file.too-large')
    expect(await rowOf(hashOf('small beside a large one'))).toBeUndefined()
  })

  test('an upload is logged with the hash, but not with the file name, which may be a flag', async () => {
    await upload('flag{in a file name}.zip', 'dynamic')
    expect(context.logLines.at(-1)!.message).toBe(`Uploaded the file ${hashOf('dynamic')}`)
    expect(JSON.stringify(context.logLines)).not.toContain('flag{')
  })

  test('an upload ignores form fields other than the expected field', async () => {
    const response = await admin.upload('POST', '/api/assets', [
      { field: 'other', name: 'x.txt', content: 'x' },
      { field: 'files', name: 'y.txt', content: 'beside another' },
    ])
    expect([response.statusCode, response.json()]).toEqual([200, [{ hash: hashOf('beside another'), name: 'y.txt' }]])
  })

  test('a malformed multipart body is refused with 400', async () => {
    const response = await admin.inject({
      method: 'POST',
      url: '/api/assets',
      headers: { 'content-type': 'multipart/form-data; boundary=xx' },
      payload: '--xx\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\nhalf of it',
    })
    expect([response.statusCode, response.json().status]).toEqual([400, 400])
  })

  test('an upload with a JSON body is refused with 415', async () => {
    expect((await admin.post('/api/assets', { files: [] })).statusCode).toBe(415)
  })

  test('an upload removes folders from file names', async () => {
    const response = await upload('../../../evil.txt', 'path trick')
    expect(response.json()[0].name).toBe('evil.txt')
  })

  test.each([
    ['a visitor', undefined, 401],
    ['a user', 'User', 403],
    ['a monitor', 'Monitor', 403],
  ] as const)('calls of %s to upload, list or delete files are refused', async (_who, role, status) => {
    const client = role ? (await signInAsNewUser(context, role)).client : createTestClient(context.app)
    expect((await client.upload('POST', '/api/assets', [{ field: 'files', name: 'a', content: 'a' }])).statusCode).toBe(status)
    expect((await client.get('/api/admin/files')).statusCode).toBe(status)
    expect((await client.delete(`/api/assets/${hashOf('first')}`)).statusCode).toBe(status)
  })
})

describe('deletions of files', () => {
  test('a deletion removes one reference, and the last deletion also removes the content', async () => {
    const hash = hashOf('counted')
    await upload('counted.txt', 'counted')
    await upload('counted.txt', 'counted')
    expect((await admin.delete(`/api/assets/${hash}`)).statusCode).toBe(200)
    expect((await admin.get(`/assets/${hash}/counted.txt`)).body).toBe('counted')
    expect((await admin.delete(`/api/assets/${hash}`)).statusCode).toBe(200)
    expect((await admin.get(`/assets/${hash}/counted.txt`)).statusCode).toBe(404)
    expect([await rowOf(hash), context.blobs.contents.has(`files/${hash}`)]).toEqual([undefined, false])
  })

  test('a deletion is answered with 404 if the file is unknown, and with 400 if the hash is malformed', async () => {
    const unknown = await admin.delete(`/api/assets/${'0'.repeat(64)}`)
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'file.unknown'])
    expect((await admin.delete('/api/assets/not-a-hash')).statusCode).toBe(400)
  })

  test('reference count and content remain consistent if the same content is deleted and uploaded at the same time', async () => {
    const hash = hashOf('contended')
    await upload('a', 'contended')
    for (let round = 0; round < 10; round += 1)
      await Promise.all([
        admin.delete(`/api/assets/${hash}`),
        upload('a', 'contended'),
        upload('a', 'contended'),
        admin.delete(`/api/assets/${hash}`),
      ])
    const count = (await rowOf(hash))?.referenceCount ?? 0
    expect(context.blobs.contents.has(`files/${hash}`)).toBe(count > 0)
  })
})

test('lists files by name in pages', async () => {
  await upload('0-list-2.txt', 'list two')
  await upload('0-list-1.txt', 'list one')
  const page = (await admin.get('/api/admin/files?count=2')).json()
  expect(page.data.map(({ name }: { name: string }) => name)).toEqual(['0-list-1.txt', '0-list-2.txt'])
  expect(page.length).toBe(2)
  expect(page.total).toBeGreaterThan(2)
  expect((await admin.get('/api/admin/files?count=1&skip=1')).json().data[0].name).toBe('0-list-2.txt')
})

describe('downloads of files', () => {
  const text = 'x'.repeat(900)
  const hash = hashOf(text)
  const url = `/assets/${hash}/letters.txt`
  beforeAll(async () => {
    await upload('letters.txt', text)
  })

  test('a download needs no session and has the headers of the contract', async () => {
    const response = await createTestClient(context.app).get(url)
    expect([response.statusCode, response.body]).toEqual([200, text])
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '900',
      'content-disposition': 'attachment; filename="letters.txt"',
      etag: `"${hash.slice(8, 16)}"`,
      'cache-control': 'public, max-age=604800',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
    })
    expect(Date.parse(String(response.headers['last-modified']))).toBeLessThanOrEqual(context.clock.now().getTime())
  })

  test('a download is answered with 404 if its hash is unknown, and with 400 if its hash is malformed', async () => {
    expect((await admin.get(`/assets/${'1'.repeat(64)}/a.txt`)).json()).toMatchObject({ status: 404, code: 'file.unknown' })
    expect((await admin.get('/assets/zz/a.txt')).statusCode).toBe(400)
  })

  test('a download is answered with 304 if the client has the content, according to tag or time', async () => {
    const { headers } = await admin.get(url)
    const get = (conditions: Record<string, string>) => admin.inject({ url, headers: conditions })
    expect((await get({ 'if-none-match': String(headers.etag) })).statusCode).toBe(304)
    expect((await get({ 'if-none-match': '"other"' })).statusCode).toBe(200)
    expect((await get({ 'if-modified-since': String(headers['last-modified']) })).statusCode).toBe(304)
    expect((await get({ 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' })).statusCode).toBe(200)
    const contradicting = { 'if-none-match': '"other"', 'if-modified-since': String(headers['last-modified']) }
    expect((await get(contradicting)).statusCode).toBe(200)
  })

  test('a range request returns a part of the content, even if the client accepts compression', async () => {
    const response = await admin.inject({ url, headers: { range: 'bytes=890-', 'accept-encoding': 'gzip' } })
    expect([response.statusCode, response.body, response.headers['content-range'], response.headers['content-length']]).toEqual([
      206,
      'x'.repeat(10),
      'bytes 890-899/900',
      '10',
    ])
  })

  test('a range beyond the end is answered with 416 and the size', async () => {
    const response = await admin.inject({ url, headers: { range: 'bytes=900-' } })
    expect([response.statusCode, response.headers['content-range']]).toEqual([416, 'bytes */900'])
  })

  test('a range is ignored if If-Range does not match the content', async () => {
    const response = await admin.inject({ url, headers: { range: 'bytes=0-1', 'if-range': '"another"' } })
    expect([response.statusCode, response.body.length]).toEqual([200, 900])
  })

  test('a download is compressed if the client accepts compression', async () => {
    const response = await admin.inject({ url, headers: { 'accept-encoding': 'gzip' } })
    expect(gunzipSync(response.rawPayload).toString()).toBe(text)
  })

  test.each([
    ['page.html', 'text/html'],
    ['archive.tar.gz', 'application/gzip'],
    ['PAPER.PDF', 'application/pdf'],
    ['strange.qqq', 'application/octet-stream'],
    ['noextension', 'application/octet-stream'],
  ])('the file name %s determines the content type %s', async (name, type) => {
    const response = await admin.get(`/assets/${hash}/${name}`)
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, type])
  })

  test('an image whose name has no extension has the media type of its content', async () => {
    const png = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    await upload('p', png)
    const response = await admin.get(`/assets/${hashOf(png)}/avatar`)
    expect([response.statusCode, response.headers['content-type'], response.rawPayload.equals(png)]).toEqual([
      200,
      'image/png',
      true,
    ])
  })

  test.each(['..%2f..%2fetc%2fpasswd', 'a%5c..%5cb', 'x%0d%0aset-cookie:y'])(
    'a download returns only the content of the requested hash if the file name is %s',
    async (name) => {
      const response = await admin.get(`/assets/${hash}/${name}`)
      expect([response.statusCode, response.body]).toEqual([200, text])
      expect(response.headers['set-cookie']).toBeUndefined()
    },
  )
})

describe('storage of files', () => {
  test('stores no file if the row that refers to it cannot be written', async () => {
    const adopt = async () => {
      throw new Error('No owner')
    }
    await expect(storeFile(context.deps, Buffer.from('orphan'), 'o.txt', { adopt })).rejects.toThrow('No owner')
    expect([await rowOf(hashOf('orphan')), context.blobs.contents.has(`files/${hashOf('orphan')}`)]).toEqual([undefined, false])
  })

  test('retains existing content if a further reference cannot be added', async () => {
    await storeFile(context.deps, Buffer.from('shared'), 's.txt')
    const adopt = async () => {
      throw new Error('No owner')
    }
    await expect(storeFile(context.deps, Buffer.from('shared'), 's.txt', { adopt })).rejects.toThrow('No owner')
    expect(await rowOf(hashOf('shared'))).toMatchObject({ referenceCount: 1 })
    expect(context.blobs.contents.has(`files/${hashOf('shared')}`)).toBe(true)
  })

  test('`addFileReferences` refuses a file that `deleteUnreferencedFiles` has deleted', async () => {
    const staged = await storeContentWithoutReference(context.deps, Buffer.from('staged'), 's.txt')
    await deleteUnreferencedFiles(context.deps)
    await expect(
      context.db.transaction((transaction) => addFileReferences(context.deps, transaction, [staged])),
    ).rejects.toMatchObject({
      code: 'import.interrupted',
    })
    expect(await rowOf(staged.hash)).toBeUndefined()
  })

  test('deletes unreferenced content that a crash left behind, and retains content in use', async () => {
    const { hash: left } = await storeFile(context.deps, Buffer.from('left by a crash'), 'l.txt')
    const { hash: used } = await storeFile(context.deps, Buffer.from('in use'), 'u.txt')
    await context.db.transaction((transaction) => releaseFiles(transaction, [left]))
    await deleteUnreferencedFiles(context.deps)
    expect([context.blobs.contents.has(`files/${left}`), context.blobs.contents.has(`files/${used}`)]).toEqual([false, true])
  })

  test('deletes all unreferenced content, even if there is more than a batch', async () => {
    await context.sql`insert into files (hash, name, size_bytes, reference_count, uploaded_at)
      select encode(sha256(n::text::bytea), 'hex'), 'left.txt', 1, 0, now() from generate_series(1, 1001) as n`
    await deleteUnreferencedFiles(context.deps)
    expect(await context.sql`select hash from files where reference_count = 0`).toEqual([])
  })

  test('retains a reference if the transaction that removed it is rolled back', async () => {
    const { hash } = await storeFile(context.deps, Buffer.from('rolled back'), 'r.txt')
    await context.db
      .transaction(async (transaction) => {
        await releaseFiles(transaction, [hash])
        throw new Error('Rolled back')
      })
      .catch(() => {})
    await deleteUnreferencedFiles(context.deps, [hash])
    expect(await rowOf(hash)).toMatchObject({ referenceCount: 1 })
  })

  test('stores no file if its source is interrupted', async () => {
    const before = context.blobs.contents.size
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('half')
        throw new Error('The client went away')
      })(),
    )
    await expect(storeFile(context.deps, source, 'h.txt')).rejects.toThrow()
    expect(context.blobs.contents.size).toBe(before)
  })
})
