import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { refuseSharedFolder } from './own-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'capstan-own-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe.skipIf(process.getuid === undefined)('a folder', () => {
  test.each([0o700, 0o711, 0o755])('of our own with the mode %o is used', async (mode) => {
    await chmod(folder, mode)
    expect(refuseSharedFolder(folder)).toBeUndefined()
  })

  test.each([0o770, 0o775, 0o777, 0o1777])('with the mode %o is refused, before anything is made in it', async (mode) => {
    await chmod(folder, mode)
    expect(refuseSharedFolder(folder)).toContain('can be written by other users')
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow('can be written by other users')
  })

  test('of somebody else is refused', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root may give folders away')
    await chown(folder, 4711, 4711)
    expect(refuseSharedFolder(folder)).toBe(`${folder} belongs to another user: choose another folder with --data`)
    expect(refuseSharedFolder(folder, [0, 4711])).toBeUndefined()
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow('belongs to another user')
  })
})
