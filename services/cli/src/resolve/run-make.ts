import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Unresolved, type Workspace } from './resolve-context.ts'

const run = promisify(execFile)

const timeoutMs = 300_000
const maxOutputBytes = 1024 * 1024

/**
 * Creates a workspace, passes it to `work`, and removes its folder afterwards. The output of commands is not shown, because it
 * may contain the flag.
 */
export async function runInWorkspace<Result>(
  environment: Readonly<Record<string, string | undefined>>,
  work: (workspace: Workspace) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'capstan-make-'))
  const make: Workspace['make'] = async ({ command: [program = '', ...args], cwd, flag }) => {
    const output = join(folder, randomUUID())
    const refusal = `\`${program}\` in ${cwd} did not write the file whose path is in the variable OUTPUT`
    try {
      await run(program, args, {
        cwd,
        env: { ...environment, OUTPUT: output, ...(flag !== undefined && { FLAG: flag }) },
        timeout: timeoutMs,
        maxBuffer: maxOutputBytes,
      })
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
      throw new Unresolved(`${refusal}${code}.`, { cause })
    }
    if (!existsSync(output)) throw new Unresolved(`${refusal}.`)
    return output
  }
  try {
    return await work({ folder, make })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
