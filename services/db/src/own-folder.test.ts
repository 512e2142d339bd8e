import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startEmbeddedPostgres } from './embedded.ts'
import { findReasonFolderIsUnsafe } from './own-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'capstan-own-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe.skipIf(process.getuid === undefined)('findReasonFolderIsUnsafe', () => {
  test.each([0o700, 0o711, 0o755])('accepts a folder of the same user with mode %o', async (mode) => {
    await chmod(folder, mode)
    expect(findReasonFolderIsUnsafe(folder)).toBeUndefined()
  })

  test.each([0o770, 0o775, 0o777, 0o1777])(
    'a folder with mode %o is refused before a file is created in the folder',
    async (mode) => {
      await chmod(folder, mode)
      expect(findReasonFolderIsUnsafe(folder)).toContain('can be written by other users')
      await expect(startEmbeddedPostgres({ folder })).rejects.toThrow('can be written by other users')
    },
  )

  test('refuses a folder of another user', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root may give folders away')
    await chown(folder, 4711, 4711)
    expect(findReasonFolderIsUnsafe(folder)).toBe(`${folder} belongs to another user: choose another folder with --data`)
    expect(findReasonFolderIsUnsafe(folder, [0, 4711])).toBeUndefined()
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow('belongs to another user')
  })
})
