import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { runClient } from './instance-ways.ts'

const run = promisify(execFile)

/** Names each package with its version: what is released tomorrow changes nothing. */
const requirements = path.join(import.meta.dirname, 'pwntools.txt')

/** It takes 11 s where two cores have nothing else to do. */
const installMs = 100_000

/** pwntools as players have it, from PyPI, in an environment of its own. */
export interface Pwntools {
  /** Runs lines of Python that begin with `from pwn import *`. @returns what they printed */
  run(lines: readonly string[]): Promise<string>
  remove(): Promise<void>
}

/** @throws with the words of Python or pip where it cannot be installed */
export async function installPwntools(): Promise<Pwntools> {
  const folder = await mkdtemp(path.join(tmpdir(), 'capstan-pwntools-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const python = path.join(folder, 'bin', 'python')
  try {
    await run('python3', ['-m', 'venv', folder])
    // Wheels rather than what has to be built; what was fetched once is taken again.
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
    const { stderr = '', killed = false, message } = cause as Error & { readonly stderr?: string; readonly killed?: boolean }
    const why = killed ? `It took longer than ${installMs / 1000} s. ${stderr}` : stderr || message
    throw new Error(`pwntools could not be installed from PyPI. ${why}`, { cause })
  }
  // It looks for a terminal and a home that it may write to, and for news of itself.
  const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_CACHE_HOME: folder, PWNLIB_NOTERM: '1' }
  return {
    run: (lines) => runClient(python, ['-c', ['from pwn import *', ...lines].join('\n')], '', undefined, env),
    remove,
  }
}
