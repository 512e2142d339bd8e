import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadGameFolder } from '../game-folder.ts'
import { runInWorkspace } from '../resolve/run-make.ts'
import { createResolveContext, environmentForAuthorCommands } from './prepare.ts'

test('files and commands of authors cannot read the token of the platform', async () => {
  const root = mkdtempSync(join(tmpdir(), 'capstan-prepare-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const environment = { PATH: process.env.PATH, CAPSTAN_URL: 'https://ctf.example.org', CAPSTAN_TOKEN: 'secret', ROPES_FLAG: 'f' }
  const context = { environment, line: () => {}, error: () => {} }
  const readable = environmentForAuthorCommands(context)
  expect(createResolveContext(context, loadGameFolder(root), undefined).environment).toEqual(readable)
  expect(readable).toEqual({ PATH: process.env.PATH, ROPES_FLAG: 'f' })
  const program =
    'fs.writeFileSync(process.env.OUTPUT, [process.env.CAPSTAN_TOKEN, process.env.ROPES_FLAG, process.env.FLAG].join())'
  const request = { command: [process.execPath, '-e', program], cwd: root, flag: 'flag{x}' }
  const made = await runInWorkspace(readable, async ({ make }) => readFileSync(await make(request), 'utf8'))
  expect(made).toBe(',f,flag{x}')
})
