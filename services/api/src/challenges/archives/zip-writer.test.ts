import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { type PackedFile, writeZip } from './zip-writer.ts'

function aFile(path: string, content: Iterable<unknown> | AsyncIterable<unknown>): PackedFile {
  return { path, open: async () => Readable.from(content) }
}

// biome-ignore lint/correctness/useYield: The stream fails before its first bytes.
async function* unreadable(): AsyncGenerator<Buffer> {
  throw new Error('unreadable')
}

test('writes texts and files, including files without content', async () => {
  const files = [aFile('empty.txt', []), aFile('a.txt', [Buffer.from('a')]), aFile('b.txt', [Buffer.from('b')])]
  const written = unzipSync(await buffer(await writeZip(files, new Map([['text.txt', 'text']]))))
  expect(Object.entries(written).map(([path, bytes]) => [path, strFromU8(bytes)])).toEqual([
    ['text.txt', 'text'],
    ['empty.txt', ''],
    ['a.txt', 'a'],
    ['b.txt', 'b'],
  ])
})

test('writes a first file whose stream has already ended', async () => {
  const open = async () => {
    const content = new PassThrough().end()
    await setImmediate()
    return content
  }
  expect(unzipSync(await buffer(await writeZip([{ path: 'a.txt', open }])))).toEqual({ 'a.txt': new Uint8Array() })
})

test.each<[string, PackedFile]>([
  ['opened', { path: 'a.txt', open: () => Promise.reject(new Error('unreadable')) }],
  ['read', aFile('a.txt', unreadable())],
])('an archive whose first file cannot be %s fails before its first bytes', async (_, file) => {
  await expect(writeZip([file], new Map([['text.txt', 'text']]))).rejects.toThrow('unreadable')
})

test('an archive whose second file cannot be read ends with an error', async () => {
  const archive = await writeZip([aFile('a.txt', [Buffer.from('a')]), aFile('b.txt', unreadable())])
  await expect(buffer(archive)).rejects.toThrow('unreadable')
})

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(64 * 1024)
}

test('the open file is closed if the reader of the archive leaves', async () => {
  const content = Readable.from(endless())
  const archive = await writeZip([{ path: 'a.txt', open: async () => content }])
  for await (const _ of archive) break
  await expect.poll(() => content.destroyed).toBe(true)
})

test('a file that opens after the reader of the archive has left is closed', async () => {
  const content = Readable.from(endless())
  const asked = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<Readable>()
  const open = () => {
    asked.resolve()
    return opened.promise
  }
  const archive = await writeZip([aFile('a.txt', [Buffer.from('a')]), { path: 'b.txt', open }])
  archive.resume()
  await asked.promise
  archive.destroy()
  opened.resolve(content)
  await expect.poll(() => content.destroyed).toBe(true)
})
