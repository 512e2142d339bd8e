import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(tmpdir(), 'capstan-bundle-'))
const file = path.join(folder, 'capstan.mjs')
const [empty, game] = [path.join(folder, 'empty'), path.join(folder, 'game')]
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [path.join(root, 'scripts', 'bundle.mjs'), folder])
  mkdirSync(empty)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a copy of the bundled file in another folder, from which it cannot read this repository. */
function capstan(...args: string[]) {
  return promisify(execFile)(file, args, { cwd: empty, env: { PATH: path.dirname(process.execPath), HOME: empty } })
}

test('the bundled command is one file that prints its version', async () => {
  const { version } = JSON.parse(readFileSync(path.join(root, 'services', 'cli', 'package.json'), 'utf8'))
  expect((await capstan('--version')).stdout).toBe(`capstan ${version}\n`)
  expect(existsSync(path.join(folder, 'node_modules')) || existsSync(path.join(folder, 'licenses.md'))).toBe(false)
})

test('the bundled command reads, checks and writes games like the command in a clone', async () => {
  cpSync(path.join(root, 'e2e', 'challenges'), game, { recursive: true })
  const { stdout } = await capstan('validate', game)
  expect(stdout).toMatch(/^(\d+) files, \1 valid\n$/)
  expect((await capstan('init', 'cup')).stdout).toContain('created: capstan.yaml')
  expect((await capstan('validate', 'cup')).stdout).toBe('2 files, 2 valid\n')
})

test('the bundled command ends with the licenses of its content', () => {
  const text = readFileSync(file, 'utf8')
  for (const name of ['Apache License', '## typebox', '## yaml', '## fflate']) expect(text.includes(name), name).toBe(true)
})
