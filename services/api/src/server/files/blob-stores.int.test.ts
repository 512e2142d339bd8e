import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, test } from 'vitest'
import { createMemoryBlobStore } from '../../testing/app.ts'
import type { BlobStore } from './blob-store.ts'
import { createBlobStore } from './create-blob-store.ts'
import { s3Credentials, startS3Server } from './testing/s3-server.ts'

const folder = await mkdtemp(join(tmpdir(), 'capstan-blobs-'))
const s3 = await startS3Server()
const s3Config = { kind: 's3', endpoint: s3.endpoint, forcePathStyle: true, ...s3Credentials } as const

afterAll(async () => {
  await s3.close()
  await rm(folder, { recursive: true })
})

const stores: [string, BlobStore][] = [
  ['a folder', await createBlobStore({ kind: 'folder', folder })],
  ['S3', await createBlobStore(s3Config)],
  ['memory, the double of the other tests', createMemoryBlobStore()],
]

async function readAll(content: Readable) {
  return Buffer.concat(await Array.fromAsync(content, (chunk: Uint8Array) => Buffer.from(chunk)))
}

describe.each(stores)('blob store %s', (_name, store) => {
  test('stores and returns the bytes of a blob', async () => {
    await store.put('files/abc', Readable.from([Buffer.from('hello '), Buffer.from('world')]))
    expect((await readAll(await store.get('files/abc'))).toString()).toBe('hello world')
  })

  test('stores and returns the bytes of a blob that consists of several parts', async () => {
    const bytes = randomBytes(12 * 1024 * 1024 + 17)
    const chunks = Array.from({ length: 193 }, (_, index) => bytes.subarray(index * 65_536, (index + 1) * 65_536))
    await store.put('files/large', Readable.from(chunks))
    expect((await readAll(await store.get('files/large'))).equals(bytes)).toBe(true)
  })

  test('returns a byte range of a blob, including the first and the last byte of the range', async () => {
    await store.put('files/range', Readable.from([Buffer.from('0123456789')]))
    expect((await readAll(await store.get('files/range', { start: 2, end: 4 }))).toString()).toBe('234')
  })

  test('stores an empty blob', async () => {
    await store.put('files/empty', Readable.from([]))
    expect(await store.exists('files/empty')).toBe(true)
  })

  test('replaces the previous content of a blob with the same key', async () => {
    await store.put('captures/1/2/a-b.pcap', Readable.from([Buffer.from('old')]))
    await store.put('captures/1/2/a-b.pcap', Readable.from([Buffer.from('new')]))
    expect((await readAll(await store.get('captures/1/2/a-b.pcap'))).toString()).toBe('new')
  })

  test('moves a blob to another key, and the first key no longer exists', async () => {
    await store.put('incoming/1', Readable.from([Buffer.from('moved')]))
    await store.move('incoming/1', 'files/moved')
    expect(await store.exists('incoming/1')).toBe(false)
    expect((await readAll(await store.get('files/moved'))).toString()).toBe('moved')
  })

  test('deletes a blob a second time without an error', async () => {
    await store.put('files/deleted', Readable.from([Buffer.from('x')]))
    await store.delete('files/deleted')
    await store.delete('files/deleted')
    expect(await store.exists('files/deleted')).toBe(false)
  })

  test('refuses to read or move a blob that does not exist', async () => {
    await expect(store.get('files/nothing')).rejects.toThrow()
    await expect(store.move('files/nothing', 'files/elsewhere')).rejects.toThrow()
  })

  test('deletes the blobs of old interrupted uploads, and no other blobs', async () => {
    for (const key of ['incoming/a', 'incoming/b', 'incoming/c', 'files/kept'])
      await store.put(key, Readable.from([Buffer.from(key)]))
    const exist = (keys: string[]) => Promise.all(keys.map((key) => store.exists(key)))
    await store.deleteStranded(new Date(Date.now() - 3600_000))
    expect(await exist(['incoming/a', 'incoming/b', 'incoming/c', 'files/kept'])).toEqual([true, true, true, true])
    await store.deleteStranded(new Date(Date.now() + 3600_000))
    expect(await exist(['incoming/a', 'incoming/b', 'incoming/c', 'files/kept'])).toEqual([false, false, false, true])
  })

  test('stores no blob if its source is interrupted', async () => {
    const source = Readable.from(
      (async function* () {
        yield Buffer.alloc(6 * 1024 * 1024)
        throw new Error('The client went away')
      })(),
    )
    await expect(store.put('files/broken', source)).rejects.toThrow()
    expect(await store.exists('files/broken')).toBe(false)
  })
})

test('slow downloads from S3 do not block other reads and writes', async () => {
  const [, store] = stores[1] ?? []
  if (!store) throw new Error('There is no store on S3')
  // The content is larger than all buffers between this process and the store.
  await store.put('files/slow', Readable.from([Buffer.alloc(5 * 1024 * 1024), Buffer.alloc(5 * 1024 * 1024)]))
  const slow = await Promise.all(Array.from({ length: 60 }, () => store.get('files/slow')))
  await store.put('files/meanwhile', Readable.from([Buffer.from('stored')]))
  expect((await readAll(await store.get('files/meanwhile'))).toString()).toBe('stored')
  for (const content of slow) content.destroy()
})

test('the folder contains no files after an interrupted upload', async () => {
  expect(await readdir(join(folder, 'partial'))).toEqual([])
})

test('S3 contains no unfinished parts after an interrupted upload', async () => {
  expect([...s3.uploads.keys()]).toEqual([])
})

test('the folder store deletes old partial files of a killed process', async () => {
  const file = join(folder, 'partial', 'left')
  await writeFile(file, 'half')
  const store = await createBlobStore({ kind: 'folder', folder })
  await store.deleteStranded(new Date(Date.now() - 3600_000))
  expect(await readdir(join(folder, 'partial'))).toEqual(['left'])
  await store.deleteStranded(new Date(Date.now() + 3600_000))
  expect(await readdir(join(folder, 'partial'))).toEqual([])
})

test('the folder store finds no abandoned files if the folder is empty', async () => {
  const store = await createBlobStore({ kind: 'folder', folder: join(folder, 'nowhere') })
  await store.deleteStranded(new Date())
})

test('the S3 store aborts old uploads of a killed process, but no uploads outside its prefix', async () => {
  const begunAt = new Date()
  s3.uploads.set('ours', { key: 'captures/1/2/a.pcap', parts: new Map(), begunAt })
  s3.uploads.set('theirs', { key: 'backup/1', parts: new Map(), begunAt })
  const store = await createBlobStore(s3Config)
  await store.deleteStranded(new Date(Date.now() - 3600_000))
  expect([...s3.uploads.keys()]).toEqual(['ours', 'theirs'])
  await store.deleteStranded(new Date(Date.now() + 3600_000))
  expect([...s3.uploads.keys()]).toEqual(['theirs'])
  s3.uploads.clear()
})

test('the S3 store fails if the credentials are wrong', async () => {
  const stranger = await createBlobStore({ ...s3Config, secretAccessKey: 'another' })
  await expect(stranger.put('files/stranger', Readable.from([Buffer.from('x')]))).rejects.toThrow()
})
