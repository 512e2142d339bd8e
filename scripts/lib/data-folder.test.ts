import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataFolder, PlainError } from './data-folder.ts'

let parent: string
beforeEach(async () => {
  parent = await mkdtemp(path.join(tmpdir(), 'capstan-data-'))
})
afterEach(() => rm(parent, { recursive: true }))

test('a new data folder is readable only by its user, and a later start uses the same secrets', async () => {
  const folder = path.join(parent, 'data')
  const made = openDataFolder(folder, 'Password1')
  expect(made.adminPassword).toBe('Password1')
  expect(openDataFolder(folder, undefined)).toEqual(made)
  if (process.getuid) expect((await stat(folder)).mode & 0o066).toBe(0)
})

test.skipIf(process.getuid === undefined)('secrets are refused if other users could have written them', async () => {
  openDataFolder(parent, undefined)
  await chmod(parent, 0o777)
  expect(() => openDataFolder(parent, undefined)).toThrow(PlainError)
  expect(() => openDataFolder(parent, undefined)).toThrow(`${parent} can be written by other users`)
})
