import { execFile } from 'node:child_process'
import { closeSync, ftruncateSync, openSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { inheritedEnvironment } from '@capstan/api/testing/environment'
import { isFullRun } from '@capstan/api/testing/full-run'
import { files } from '@capstan/db/schema/platform'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFolder, aToken } from './testing/command.ts'

const mebibyte = 1024 * 1024
const aloneBytes = (isFullRun ? 1024 : 384) * mebibyte
const packedBytes = (isFullRun ? 256 : 16) * mebibyte
const maxMemoryBytes = 300 * mebibyte

const root = path.resolve(import.meta.dirname, '..', '..')
/**
 * Source of a module that prints the maximum memory of its process, in bytes, when the process ends. The module samples the
 * memory instead of using `maxRSS`, because `maxRSS` of a new process starts with the memory of the parent process.
 */
const reporter = `
let most = 0
const sample = () => { most = Math.max(most, process.memoryUsage.rss()) }
setInterval(sample, 10).unref()
process.on('exit', () => { sample(); process.stderr.write('memory ' + most + '\\n') })`

let context: TestApp
let token: string
beforeAll(async () => {
  context = await startTestApp({ config: { maxAttachmentBytes: 2 * aloneBytes } })
  await context.app.listen({ host: '127.0.0.1', port: 0 })
  token = await aToken(context)
})
afterAll(() => context.close())

const run = promisify(execFile)

/** Runs `capstan` as a process. @returns the output and the maximum memory of the process, in bytes */
async function measured(...args: string[]) {
  const { port } = context.app.server.address() as AddressInfo
  const node = ['--conditions=source', '--import', `data:text/javascript,${encodeURIComponent(reporter)}`]
  const { stdout, stderr } = await run(process.execPath, [...node, path.join(root, 'services/cli/src/main.ts'), ...args], {
    env: { ...inheritedEnvironment, CAPSTAN_URL: `http://127.0.0.1:${port}`, CAPSTAN_TOKEN: token },
  })
  return { stdout, memoryBytes: Number(/memory (\d+)/.exec(stderr)?.[1]) }
}

/** Creates a file of zeros, which needs no space on most disks. */
function putLarge(file: string, bytes: number): void {
  const handle = openSync(file, 'w')
  ftruncateSync(handle, bytes)
  closeSync(handle)
}

test('capstan apply uploads attachments of any size in bounded memory, both single files and packed files', async () => {
  const challenge = (name: string, attachments: string) =>
    `apiVersion: capstan/v1\nkind: Challenge\nname: ${name}\ntitle: ${name}\ncategory: Forensics\ndescription: A disk.\ntype: StaticAttachment\nscore: { points: 100 }\nflags: [{ text: "flag{${name}}" }]\nattachments: ${attachments}\n`
  using folder = aFolder({
    'capstan.yaml': 'apiVersion: capstan/v1\nkind: Game\nname: large-files\ntitle: Large files\n',
    'disk/capstan.yaml': challenge('disk', '[{ file: disk.img }]'),
    'pair/capstan.yaml': challenge('pair', '[{ file: disk.img }, { file: notes.txt }]'),
    'pair/notes.txt': 'Mount it.\n',
  })
  putLarge(path.join(folder.root, 'disk/disk.img'), aloneBytes)
  putLarge(path.join(folder.root, 'pair/disk.img'), packedBytes)

  const { stdout, memoryBytes } = await measured('apply', folder.root)
  expect(stdout).toMatch(/Applied to game \d+\.$/m)
  expect(memoryBytes).toBeGreaterThan(0)
  expect(memoryBytes).toBeLessThan(maxMemoryBytes)
  const stored = await context.db.select().from(files)
  const sizes = stored.map(({ sizeBytes }) => sizeBytes)
  expect(sizes).toContain(aloneBytes)
  expect(sizes.filter((size) => size > packedBytes && size < packedBytes + mebibyte)).toHaveLength(1)

  const again = await measured('plan', folder.root)
  expect(again.stdout).toMatch(/^No changes\.$/m)
  expect(again.memoryBytes).toBeLessThan(maxMemoryBytes)
})
