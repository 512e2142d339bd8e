import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type GenerateRequest, Unresolved } from './resolve-context.ts'

const run = promisify(execFile)

const timeoutMs = 300_000
const maxOutputBytes = 1024 * 1024

/**
 * Returns a function that runs a command of the author and reads the file that it writes. Its output is not shown, because it may
 * contain the flag.
 */
export function generateByCommand(environment: Readonly<Record<string, string | undefined>>) {
  return async ({ command: [program = '', ...args], cwd, flag }: GenerateRequest): Promise<Uint8Array> => {
    const folder = await mkdtemp(join(tmpdir(), 'capstan-make-'))
    const output = join(folder, 'output')
    try {
      await run(program, args, {
        cwd,
        env: { ...environment, OUTPUT: output, ...(flag !== undefined && { FLAG: flag }) },
        timeout: timeoutMs,
        maxBuffer: maxOutputBytes,
      })
      return await readFile(output)
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
      throw new Unresolved(`\`${program}\` in ${cwd} did not write the file whose path is in the variable OUTPUT${code}.`, {
        cause,
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
