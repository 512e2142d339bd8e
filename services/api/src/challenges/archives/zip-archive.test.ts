import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Limits } from '@capstan/contract/limits'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHostileArchives, createMalformedArchives } from './testing/hostile.ts'
import { createRawZip } from './testing/raw-zip.ts'
import { createZipFile } from './testing/zip.ts'
import { openArchive } from './zip-archive.ts'

let folder = ''
let descriptor: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-zip-'))
})
afterEach(() => {
  closeSync(descriptor)
  rmSync(folder, { recursive: true })
})

function open(bytes: Uint8Array) {
  const path = join(folder, 'a.zip')
  writeFileSync(path, bytes)
  descriptor = openSync(path, 'r')
  return openArchive(descriptor)
}

test('reads text files in order, and skips files that operating systems add', async () => {
  const { tree } = await open(
    createZipFile({ 'b/x.txt': 'X', 'a.txt': 'A', '__MACOSX/a.txt': '', 'b/.DS_Store': '', 'c/.git/config': '' }),
  )
  expect(tree.paths).toEqual(['a.txt', 'b/x.txt'])
  expect(tree.readText('b/x.txt', 10)).toBe('X')
  expect(() => tree.readText('b/x.txt', 0)).toThrow('larger')
  expect(() => tree.readText('c.txt', 10)).toThrow('is not in the archive')
})

test('reads stored, compressed and empty files, and names in an old encoding', async () => {
  const archive = await open(
    createRawZip([
      { name: 'stored', content: 'one' },
      { name: 'packed', content: 'two'.repeat(9), isDeflated: true },
      { name: 'empty', content: '' },
      { name: Buffer.from([0x81, 0x2e, 0x74]), flags: 0, content: 'old' },
      { name: 'folder/', content: '' },
    ]),
  )
  const contents = await Promise.all(archive.tree.paths.map(async (path) => [path, String(await buffer(archive.open(path)))]))
  expect(Object.fromEntries(contents)).toEqual({ stored: 'one', packed: 'two'.repeat(9), empty: '', 'ü.t': 'old' })
})

const attached = 'a/task.txt'
const sound = [{ name: 'a/capstan.yaml' }, { name: attached }, { name: 'z.txt' }]

test.each(createHostileArchives(sound, attached))('refuses an archive with %s', async (_, zip, why) => {
  const read = async () => {
    const archive = await open(zip())
    for (const path of archive.tree.paths) await buffer(archive.open(path))
  }
  await expect(read()).rejects.toThrow(why)
})

test.each(createMalformedArchives(sound))('skips %s, and reads the rest of the archive', async (_, zip, why) => {
  const { tree } = await open(zip())
  expect(tree.paths).toEqual(expect.arrayContaining(sound.map(({ name }) => name)))
  const [[path, fault] = ['', '']] = [...(tree.leftOut ?? [])]
  expect(fault).toMatch(why)
  expect(tree.leftOut?.size).toBe(1)
  expect(tree.paths).not.toContain(path)
})

test.each([
  ['a link', { mode: 0o120777, isDeflated: true }],
  ['an encrypted file', { flags: 0x801, isDeflated: true }],
  ['a file with another compression method', { method: 12 }],
  ['a stored file with two sizes', {}],
])('counts %s toward every limit although it is ignored', async (_, entry) => {
  const ignored = { name: 'x.bin', ...entry }
  const large = { ...ignored, sizeBytes: 3 * 1024 ** 3 }
  await expect(open(createRawZip([...sound, large]))).rejects.toThrow('unpacks to more than 2048 MB')
  closeSync(descriptor)
  const loose = { ...ignored, sizeBytes: Limits.importRatioFreeBytes + 1 }
  await expect(open(createRawZip([...sound, loose]))).rejects.toThrow('unpacks to more than 100 times')
  closeSync(descriptor)
  await expect(open(createRawZip([...sound, { ...ignored, headerAt: 10 }]))).rejects.toThrow('overlaps')
  closeSync(descriptor)
  await expect(open(createRawZip([...sound, { ...ignored, headerAt: 0xfff_ffff }]))).rejects.toThrow('is incomplete')
})

test('reads a file once if the archive contains it several times with the same content', async () => {
  const archive = await open(
    createRawZip([
      ...sound,
      { name: 'twin.txt', content: 'same'.repeat(20) },
      { name: 'twin.txt', content: 'same'.repeat(20), isDeflated: true },
    ]),
  )
  expect(archive.tree.paths).toEqual(['a/capstan.yaml', 'a/task.txt', 'twin.txt', 'z.txt'])
  expect(archive.tree.leftOut?.size).toBe(0)
  expect(String(await buffer(archive.open('twin.txt')))).toBe('same'.repeat(20))
})

test('reads the files of a folder whose path is also the path of a file', async () => {
  const archive = await open(createRawZip([{ name: 'web' }, { name: 'web/capstan.yaml' }, { name: 'web/' }, { name: 'z.txt' }]))
  expect(archive.tree.paths).toEqual(['web/capstan.yaml', 'z.txt'])
  expect([...(archive.tree.leftOut ?? [])]).toEqual([['web', 'is both a file and a folder']])
})

test('ignores an encrypted folder', async () => {
  const { tree } = await open(createRawZip([...sound, { name: 'folder/', content: '', flags: 0x801 }]))
  expect([tree.paths.length, tree.leftOut?.size]).toEqual([3, 0])
})

test('refuses a text that is damaged or longer than its directory entry states', async () => {
  const longer = await open(createRawZip([{ name: 'a', content: 'x'.repeat(1000), isDeflated: true, sizeBytes: 10 }]))
  expect(() => longer.tree.readText('a', 100)).toThrow()
  closeSync(descriptor)
  const damaged = await open(createRawZip([{ name: 'a', crc: 7 }]))
  expect(() => damaged.tree.readText('a', 2000)).toThrow('damaged')
})
