import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openFolder } from './folder-tree.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'capstan-folder-'))
})

afterEach(() => rmSync(root, { recursive: true }))

it('a folder more than 40 levels deep is not read, and the result lists the reason', () => {
  const [at40, at41] = [40, 41].map((levels) => Array(levels).fill('d').join('/')) as [string, string]
  mkdirSync(join(root, at41), { recursive: true })
  for (const folder of [at40, at41]) writeFileSync(join(root, folder, 'a.txt'), '')
  const { paths, leftOut } = openFolder(root)
  expect(paths).toEqual([`${at40}/a.txt`])
  expect([...(leftOut ?? [])]).toEqual([[at41, 'is more than 40 levels deep']])
})
