import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFolder } from '../folder-tree.ts'
import { createFileWriter } from './save-files.ts'

let place = ''
let root = ''
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'capstan-save-'))
  root = join(place, 'game')
  mkdirSync(root)
})
afterEach(() => rmSync(place, { recursive: true }))

const content = Buffer.from('theirs')

test('a pulled file gets another name if a file with its name exists, unless the contents are equal', async () => {
  writeFileSync(join(root, 'a.txt'), 'mine')
  const writer = createFileWriter(openFolder(root))
  const saved = await writer.save('', 'a.txt', content)
  expect(saved).toMatch(/^[0-9a-f]{8}-a\.txt$/)
  expect(await writer.save('', 'a.txt', Buffer.from('mine'))).toBe('a.txt')
  expect([readFileSync(join(root, 'a.txt'), 'utf8'), writer.written]).toEqual(['mine', [saved]])
})

test('a download is written chunk by chunk, and an interrupted download leaves no file', async () => {
  const writer = createFileWriter(openFolder(root))
  async function* download(breaks: boolean) {
    yield Buffer.from('one ')
    expect(readdirSync(join(root, 'files'))).toEqual([expect.stringMatching(/^\.[0-9a-f-]{36}\.part$/)])
    if (breaks) throw new Error('The connection broke')
    yield Buffer.from('two')
  }
  await expect(writer.save('files', 'a.bin', download(true))).rejects.toThrow('The connection broke')
  expect(readdirSync(join(root, 'files'))).toEqual([])
  expect(await writer.save('files', 'a.bin', download(false))).toBe('a.bin')
  expect(readFileSync(join(root, 'files', 'a.bin'), 'utf8')).toBe('one two')
  expect([readdirSync(join(root, 'files')), writer.written]).toEqual([['a.bin'], ['files/a.bin']])
})

test('pull refuses to write through a link to a file or folder', async () => {
  writeFileSync(join(place, 'precious'), 'mine')
  symlinkSync(join(place, 'precious'), join(root, 'poster.webp'))
  mkdirSync(join(place, 'elsewhere'))
  symlinkSync(join(place, 'elsewhere'), join(root, 'images'))
  const writer = createFileWriter(openFolder(root))
  await expect(writer.save('', 'poster.webp', content)).rejects.toThrow('poster.webp is a link')
  await expect(writer.save('images', 'new.png', content)).rejects.toThrow('images is a link')
  expect(readFileSync(join(place, 'precious'), 'utf8')).toBe('mine')
  expect(existsSync(join(place, 'elsewhere', 'new.png'))).toBe(false)
})

test.each(['../out.txt', '/out.txt', 'web/../../out.txt', 'a//b', 'web/\\..\\out.txt'])(
  'pull rejects %s as a path in a folder',
  (path) => {
    const writer = createFileWriter(openFolder(root))
    expect(() => writer.write(path, content)).toThrow('is outside the folder')
    expect(existsSync(join(place, 'out.txt'))).toBe(false)
  },
)
