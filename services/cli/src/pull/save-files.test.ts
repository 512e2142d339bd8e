import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFolder } from '../folder-tree.ts'
import { createWriter } from './save-files.ts'

let place = ''
let root = ''
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'capstan-save-'))
  root = join(place, 'game')
  mkdirSync(root)
})
afterEach(() => rmSync(place, { recursive: true }))

const content = Buffer.from('theirs')

test('a file gets another name if its name is taken, unless the contents are equal', () => {
  writeFileSync(join(root, 'a.txt'), 'mine')
  const writer = createWriter(openFolder(root))
  const saved = writer.save('', 'a.txt', content)
  expect(saved).toMatch(/^[0-9a-f]{8}-a\.txt$/)
  expect(writer.save('', 'a.txt', Buffer.from('mine'))).toBe('a.txt')
  expect([readFileSync(join(root, 'a.txt'), 'utf8'), writer.written]).toEqual(['mine', [saved]])
})

test('refuses to write through a link to a file or folder', () => {
  writeFileSync(join(place, 'precious'), 'mine')
  symlinkSync(join(place, 'precious'), join(root, 'poster.webp'))
  mkdirSync(join(place, 'elsewhere'))
  symlinkSync(join(place, 'elsewhere'), join(root, 'images'))
  const writer = createWriter(openFolder(root))
  expect(() => writer.save('', 'poster.webp', content)).toThrow('poster.webp is a link')
  expect(() => writer.save('images', 'new.png', content)).toThrow('images is a link')
  expect(readFileSync(join(place, 'precious'), 'utf8')).toBe('mine')
  expect(existsSync(join(place, 'elsewhere', 'new.png'))).toBe(false)
})

test.each(['../out.txt', '/out.txt', 'web/../../out.txt', 'a//b', 'web/\\..\\out.txt'])(
  'rejects %s as a path in a folder',
  (path) => {
    const writer = createWriter(openFolder(root))
    expect(() => writer.write(path, content)).toThrow('is outside the folder')
    expect(existsSync(join(place, 'out.txt'))).toBe(false)
  },
)
