import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const main = join(import.meta.dirname, 'main.ts')

it('Ctrl-C stops the command, which prints that completed steps are not undone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-cli-'))
  writeFileSync(
    join(folder, 'capstan.yaml'),
    'apiVersion: capstan/v1\nkind: Challenge\nname: a\ntitle: A\ncategory: Web\ndescription: ""\nflags: []\n',
  )
  // Simulate a platform that never answers.
  const server = createServer()
  const asked = once(server, 'request')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const child = spawn(process.execPath, [main, 'apply', folder], {
    env: { ...process.env, CAPSTAN_URL: `http://127.0.0.1:${port}`, CAPSTAN_TOKEN: 'token' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = text(child.stderr)
  const ended = once(child, 'exit')
  try {
    await asked
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    expect(await said).toMatch(/^Stopped\. Completed steps are not undone; .*\n$/)
  } finally {
    child.kill('SIGKILL')
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  }
})
