import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEngineSettings } from '../testing/engine-settings.ts'
import { createEngine } from './engine.ts'

test('after a failed call, the next call determines again whether the engine is docker or podman', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-engine-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const program = path.join(folder, 'engine.mjs')
  await writeFile(
    program,
    `import { existsSync } from 'node:fs'\nif (!existsSync(${JSON.stringify(`${program}.ready`)})) process.exit(1)`,
  )
  const engine = createEngine({ program: process.execPath, prefix: [program] }, createEngineSettings('us'))
  const create = () => engine.createNetwork('a', { name: 'capstan-a', kind: 'inner' })
  await expect(create()).rejects.toThrow()
  await writeFile(`${program}.ready`, '')
  expect(await create()).toBe(true)
})

/** Returns an engine whose command runs this script. */
async function startScript(script: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-engine-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const program = path.join(folder, 'engine.mjs')
  await writeFile(program, script)
  return createEngine({ program: process.execPath, prefix: [program] }, createEngineSettings('us'))
}

test('a readiness command that prints 96 MiB succeeds, and its output is discarded', async () => {
  const bytes = 96 * 1024 * 1024
  const engine = await startScript(
    `import { writeSync } from 'node:fs'
    const piece = Buffer.alloc(65536, 120)
    for (const file of [1, 2]) for (let left = ${bytes}; left > 0; ) {
      try { left -= writeSync(file, piece) } catch (error) { if (error.code !== 'EAGAIN') throw error }
    }`,
  )
  expect(await engine.succeeds('capstan-a', ['check'])).toBe(true)
})

test('a readiness command succeeds only if it ends with code 0', async () => {
  const engine = await startScript('process.exit(Number(process.argv.at(-1)))')
  const results = ['0', '1', '137'].map((code) => engine.succeeds('capstan-a', ['exit', code]))
  expect(await Promise.all(results)).toEqual([true, false, false])
  const missing = createEngine({ program: '/nowhere/engine' }, createEngineSettings('us'))
  expect(await missing.succeeds('capstan-a', ['true'])).toBe(false)
})
