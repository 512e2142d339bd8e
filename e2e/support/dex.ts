import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { isProgramInstalled } from './browser.ts'
import { isFullRun } from './full-run.ts'
import { testClient } from './identity-provider.ts'
import { poll } from './poll.ts'

const run = promisify(execFile)

/** Go module that pins Dex and all of its dependencies. */
const moduleFolder = path.join(import.meta.dirname, '..', 'dex')
const cache = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'dex')

/**
 * Missing program or setting that prevents the build of Dex. Undefined if Dex can be built. The build takes minutes, so only a full
 * run builds Dex.
 */
export const missingForDex = isFullRun ? ['go', 'gcc'].find((program) => !isProgramInstalled(program)) : 'CAPSTAN_TEST_FULL=true'

/** User of Dex. `passwordHash` is the hash of the password. */
export const dexUser = { email: 'grace@uni.example', username: 'grace', password: 'password' } as const
const passwordHash = '$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W'

/** Builds the provider Dex from its Go module, once for each version. @returns the path of the program */
async function buildDex(): Promise<string> {
  const version = /dexidp\/dex (v\S+)/.exec(await readFile(path.join(moduleFolder, 'go.mod'), 'utf8'))?.[1] ?? ''
  const program = path.join(cache, version)
  const exists = await access(program).then(
    () => true,
    () => false,
  )
  if (exists) return program
  await mkdir(cache, { recursive: true })
  const unfinished = `${program}.${process.pid}`
  // Enable cgo, because Dex contains SQLite, which is written in C.
  const env = { ...process.env, CGO_ENABLED: '1', GOFLAGS: '-mod=readonly -buildvcs=false', GOTOOLCHAIN: 'auto' }
  await run('go', ['build', '-o', unfinished, 'github.com/dexidp/dex/cmd/dex'], { cwd: moduleFolder, env })
  await rename(unfinished, program)
  return program
}

/** Starts Dex with one user. Dex serves its own login pages. @param callback allowed callback address */
export async function startDex(callback: string, port: number) {
  const program = await buildDex()
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-dex-'))
  const address = `127.0.0.1:${port}`
  const issuer = `http://${address}/dex`
  const { email, username } = dexUser
  const settings = {
    issuer,
    storage: { type: 'memory' },
    web: { http: address },
    staticClients: [{ id: testClient.id, secret: testClient.secret, name: 'Capstan', redirectURIs: [callback] }],
    enablePasswordDB: true,
    staticPasswords: [{ email, username, hash: passwordHash, userID: '3f1c2f9e-6a52-4a0b-9f5c-0d0a3f1a2b11' }],
  }
  const file = path.join(folder, 'dex.yaml')
  await writeFile(file, JSON.stringify(settings))
  const child: ChildProcess = spawn(program, ['serve', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await poll(
    `Dex to answer at ${issuer}`,
    async () => child.exitCode !== null || (await fetch(`${issuer}/.well-known/openid-configuration`)).ok,
  )
  if (child.exitCode !== null) throw new Error(`Dex ended with code ${child.exitCode}: ${output}`)
  return {
    issuer,
    async close() {
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
