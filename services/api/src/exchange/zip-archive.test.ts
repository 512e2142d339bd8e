import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { zipOf } from './testing/zip.ts'
import { openArchive } from './zip-archive.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-zip-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (bytes: Uint8Array) => {
  const path = join(folder, 'a.zip')
  writeFileSync(path, bytes)
  return openArchive(path)
}

const centralSignature = 0x02014b50
const endSignature = 0x06054b50

/** Where each entry of the directory begins. */
const directoryOf = (zip: Buffer): number[] => {
  const starts: number[] = []
  for (let at = 0; at < zip.length - 4; at++) if (zip.readUInt32LE(at) === centralSignature) starts.push(at)
  return starts
}

const changed = (zip: Buffer, change: (copy: Buffer, directory: readonly number[]) => void): Buffer => {
  const copy = Buffer.from(zip)
  change(copy, directoryOf(copy))
  return copy
}

/** The name of the only file, in both places. */
const renamed = (name: string): Buffer => {
  const marker = 'x'.repeat(Buffer.byteLength(name))
  const zip = zipOf({ [marker]: 'content' })
  const text = zip.toString('latin1').replaceAll(marker, Buffer.from(name).toString('latin1'))
  // The flag that says that names are UTF-8.
  return changed(Buffer.from(text, 'latin1'), (copy, [at = 0]) => copy.writeUInt16LE(0x800, at + 8))
}

test('reads texts, in order, without what systems put beside them', async () => {
  const archive = await open(
    zipOf({ 'b/x.txt': 'X', 'a.txt': 'A', '__MACOSX/a.txt': '', 'b/.DS_Store': '', 'c/.git/config': '' }),
  )
  expect(archive.tree.paths).toEqual(['a.txt', 'b/x.txt'])
  expect(archive.tree.readText('b/x.txt', 10)).toBe('X')
  expect(() => archive.tree.readText('b/x.txt', 0)).toThrow('larger')
  expect(() => archive.tree.readText('c.txt', 10)).toThrow('not here')
  archive.close()
})

test.each([
  ['climbs out of its folder', '../../etc/passwd', /invalid relative path/],
  ['is absolute', '/etc/passwd', /absolute path/],
  ['is of another system', 'a\\..\\b.txt', /invalid characters/],
  ['has an empty part', 'a//b.txt', /no plain path/],
  ['points at itself', './a.txt', /no plain path/],
  ['holds a control character', 'a\u0007b.txt', /characters that no file name holds/],
  ['is very deep', `${'a/'.repeat(40)}b`, /too many folders/],
  ['is very long', 'a'.repeat(InputLimits.fileNameMaxLength + 1), /too long a name/],
])('is refused where a path %s', async (_, name, why) => {
  await expect(open(renamed(name))).rejects.toThrow(why)
})

test('is refused with a link', async () => {
  const zip = changed(zipOf({ link: '/etc/passwd' }), (copy, [at = 0]) => copy.writeUInt32LE(0o120777 * 65536, at + 38))
  await expect(open(zip)).rejects.toThrow(/`link` is a link/)
})

test('is refused with an encrypted file, or one packed by another method', async () => {
  const encrypted = changed(zipOf({ a: 'x' }), (copy, [at = 0]) => copy.writeUInt16LE(1, at + 8))
  await expect(open(encrypted)).rejects.toThrow(/encrypted/)
  const other = changed(zipOf({ a: 'x' }), (copy, [at = 0]) => copy.writeUInt16LE(14, at + 10))
  await expect(open(other)).rejects.toThrow(/packed by a method/)
})

test('is refused where one name is there twice', async () => {
  const zip = zipOf({ aa: 'one', bb: 'two' })
  await expect(open(Buffer.from(zip.toString('latin1').replaceAll('bb', 'aa'), 'latin1'))).rejects.toThrow(/twice/)
})

test('is refused where it says that it holds too many files, before they are looked at', async () => {
  const zip = Buffer.from(zipOf({ a: 'x' }))
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]))
  expect(zip.readUInt32LE(end)).toBe(endSignature)
  zip.writeUInt16LE(Limits.importFilesMax + 1, end + 8)
  zip.writeUInt16LE(Limits.importFilesMax + 1, end + 10)
  await expect(open(zip)).rejects.toThrow(`${Limits.importFilesMax} are the most`)
})

test('is refused where it unpacks to far more than its size', async () => {
  const zip = changed(zipOf({ a: 'x'.repeat(1000) }), (copy, [at = 0]) =>
    copy.writeUInt32LE(Limits.importRatioFreeBytes + 1, at + 24),
  )
  await expect(open(zip)).rejects.toThrow(`more than ${Limits.importRatioMax} times`)
})

test('is refused where files share their bytes', async () => {
  const zip = changed(zipOf({ a: 'x'.repeat(100), b: 'y'.repeat(100) }), (copy, [first = 0, second = 0]) =>
    copy.writeUInt32LE(copy.readUInt32LE(first + 42), second + 42),
  )
  await expect(open(zip)).rejects.toThrow(/overlaps/)
})

test('gives no file that is longer than it says, or damaged', async () => {
  const longer = changed(zipOf({ a: 'x'.repeat(1000) }), (copy, [at = 0]) => copy.writeUInt32LE(10, at + 24))
  await expect(open(longer).then(({ tree }) => tree.readText('a', 100))).rejects.toThrow()
  const damaged = changed(zipOf({ a: 'x'.repeat(1000) }), (copy, [at = 0]) => copy.writeUInt32LE(7, at + 16))
  await expect(open(damaged).then(({ tree }) => tree.readText('a', 2000))).rejects.toThrow('damaged')
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['no zip', Buffer.from('hello')],
  ['half a zip', zipOf({ a: 'x'.repeat(5000) }).subarray(0, 60)],
])('is refused for %s', async (_, bytes) => {
  await expect(open(bytes)).rejects.toThrow(/no zip that can be read/)
})
