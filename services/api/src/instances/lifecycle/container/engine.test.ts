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
