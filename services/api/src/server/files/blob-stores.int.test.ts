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

describe.each(stores)('blobs in %s', (_name, store) => {
  test('are read with the bytes that were stored', async () => {
    await store.put('files/abc', Readable.from([Buffer.from('hello '), Buffer.from('world')]))
    expect((await readAll(await store.get('files/abc'))).toString()).toBe('hello world')
  })

  test('are read with the bytes that were stored, even if they consist of several parts', async () => {
    const bytes = randomBytes(12 * 1024 * 1024 + 17)
    const chunks = Array.from({ length: 193 }, (_, index) => bytes.subarray(index * 65_536, (index + 1) * 65_536))
    await store.put('files/large', Readable.from(chunks))
    expect((await readAll(await store.get('files/large'))).equals(bytes)).toBe(true)
  })

  test('are read by byte range, both ends included', async () => {
    await store.put('files/range', Readable.from([Buffer.from('0123456789')]))
    expect((await readAll(await store.get('files/range', { start: 2, end: 4 }))).toString()).toBe('234')
  })

  test('may be empty', async () => {
    await store.put('files/empty', Readable.from([]))
    expect(await store.exists('files/empty')).toBe(true)
  })

  test('replace the previous content of the same key', async () => {
    await store.put('captures/1/2/a-b.pcap', Readable.from([Buffer.from('old')]))
    await store.put('captures/1/2/a-b.pcap', Readable.from([Buffer.from('new')]))
    expect((await readAll(await store.get('captures/1/2/a-b.pcap'))).toString()).toBe('new')
  })

  test('can be moved to another key, and then no longer exist under the first key', async () => {
    await store.put('incoming/1', Readable.from([Buffer.from('moved')]))
    await store.move('incoming/1', 'files/moved')
    expect(await store.exists('incoming/1')).toBe(false)
    expect((await readAll(await store.get('files/moved'))).toString()).toBe('moved')
  })

  test('can be deleted a second time without an error', async () => {
    await store.put('files/deleted', Readable.from([Buffer.from('x')]))
    await store.delete('files/deleted')
    await store.delete('files/deleted')
    expect(await store.exists('files/deleted')).toBe(false)
  })

  test('cannot be read or moved if they do not exist', async () => {
    await expect(store.get('files/nothing')).rejects.toThrow()
    await expect(store.move('files/nothing', 'files/elsewhere')).rejects.toThrow()
  })

  test('are deleted if they belong to old interrupted uploads, and all others remain', async () => {
    for (const key of ['incoming/a', 'incoming/b', 'incoming/c', 'files/kept'])
      await store.put(key, Readable.from([Buffer.from(key)]))
    const exist = (keys: string[]) => Promise.all(keys.map((key) => store.exists(key)))
    await store.deleteStranded(new Date(Date.now() - 3600_000))
    expect(await exist(['incoming/a', 'incoming/b', 'incoming/c', 'files/kept'])).toEqual([true, true, true, true])
    await store.deleteStranded(new Date(Date.now() + 3600_000))
    expect(await exist(['incoming/a', 'incoming/b', 'incoming/c', 'files/kept'])).toEqual([false, false, false, true])
  })

  test('are not stored if their source is interrupted', async () => {
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

test('leaves nothing in the folder after an interrupted upload', async () => {
  expect(await readdir(join(folder, 'partial'))).toEqual([])
})

test('leaves no unfinished parts on S3 after an interrupted upload', async () => {
  expect([...s3.uploads.keys()]).toEqual([])
})

test('deletes old partial files of a killed process from the folder', async () => {
  const file = join(folder, 'partial', 'left')
  await writeFile(file, 'half')
  const store = await createBlobStore({ kind: 'folder', folder })
  await store.deleteStranded(new Date(Date.now() - 3600_000))
  expect(await readdir(join(folder, 'partial'))).toEqual(['left'])
  await store.deleteStranded(new Date(Date.now() + 3600_000))
  expect(await readdir(join(folder, 'partial'))).toEqual([])
})

test('finds no abandoned files if the folder is empty', async () => {
  const store = await createBlobStore({ kind: 'folder', folder: join(folder, 'nowhere') })
  await store.deleteStranded(new Date())
})

test('aborts old S3 uploads of a killed process, but no uploads outside its prefix', async () => {
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

test('fails on S3 if the credentials are wrong', async () => {
  const stranger = await createBlobStore({ ...s3Config, secretAccessKey: 'another' })
  await expect(stranger.put('files/stranger', Readable.from([Buffer.from('x')]))).rejects.toThrow()
})
