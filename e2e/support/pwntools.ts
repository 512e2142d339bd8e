import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { runClient } from './instance-ways.ts'

const run = promisify(execFile)

/** File that pins the packages and their versions, so that new releases do not affect the tests. */
const requirements = path.join(import.meta.dirname, 'pwntools.txt')

/** Timeout of the installation, in ms. The installation takes 11 s on two idle cores. */
const installMs = 100_000

/** pwntools from PyPI in a separate environment. */
export interface Pwntools {
  /**
   * Runs lines of Python after `from pwn import *`.
   * @returns the output
   */
  run(lines: readonly string[]): Promise<string>
  remove(): Promise<void>
}

/**
 * Installs pwntools into a temporary folder.
 * @throws an error that contains the message of Python or pip if the installation fails
 */
export async function installPwntools(): Promise<Pwntools> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-pwntools-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const python = path.join(folder, 'bin', 'python')
  try {
    await run('python3', ['-m', 'venv', folder])
    // Use wheels, which need no build, and the cache of pip.
    const quietly = [
      '--quiet',
      '--disable-pip-version-check',
      '--no-input',
      '--no-compile',
      '--no-deps',
      '--prefer-binary',
      '--timeout',
      '10',
      '--retries',
      '2',
    ]
    await run(python, ['-m', 'pip', 'install', ...quietly, '--requirement', requirements], { timeout: installMs })
  } catch (cause) {
    await remove()
    const { stderr = '', killed = false, message } = cause as Error & Readonly<{ stderr?: string; killed?: boolean }>
    const why = killed ? `It took longer than ${installMs / 1000} s. ${stderr}` : stderr || message
    throw new Error(`pwntools could not be installed from PyPI. ${why}`, { cause })
  }
  // These environment variables prevent pwntools from looking for a terminal, a writable home folder, and updates.
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_CACHE_HOME: folder, PWNLIB_NOTERM: '1' }
  return {
    run: (lines) => runClient(python, ['-c', ['from pwn import *', ...lines].join('\n')], '', undefined, env),
    remove,
  }
}
