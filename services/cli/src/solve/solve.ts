import { spawn } from 'node:child_process'
import { canGenerateFlag } from '@capstan/contract/flag-templates/can-generate-flag'
import type { InstanceAccess } from '@capstan/contract/reach'

export type InstanceAddress = Readonly<{
  /** Address that players open or type. */
  address: string
  host: string
  port: string
}>

const schemePorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Returns the best address for a program.
 * @returns undefined if the instance is reachable only through a WebSocket of the platform
 */
export function findSolverAddress(ways: readonly InstanceAccess[]): InstanceAddress | undefined {
  const way = ways.find(({ way, port }) => way !== 'websocket' && port === undefined)
  if (!way) return undefined
  const { address } = way
  const { protocol, hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`)
  return { address, host: hostname, port: port || (schemePorts[protocol] ?? '') }
}

export type SolverRequest = Readonly<{
  command: readonly string[]
  cwd: string
  timeoutMs: number
  environment: Readonly<Record<string, string | undefined>>
  instance: InstanceAddress | undefined
}>

const maxOutputBytes = 1024 * 1024

/**
 * Runs the solver of an author.
 * @returns its output
 * @throws if the exit code is not 0 or the solver exceeds its time limit
 */
export function runSolver({ command, cwd, timeoutMs, environment, instance }: SolverRequest): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program = '', ...args] = command
    // Start the solver in a separate process group, so that all its processes can be ended together.
    const child = spawn(program, args, {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...environment, ...(instance && { ADDRESS: instance.address, HOST: instance.host, PORT: instance.port }) },
    })
    const end = () => {
      if (child.pid === undefined) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // The process has already ended.
      }
    }
    let output = ''
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      end()
    }, timeoutMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > maxOutputBytes) end()
    })
    child.once('error', (cause) => {
      clearTimeout(timer)
      reject(new Error(`\`${program}\` could not be started.`, { cause }))
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      end()
      if (code === 0) resolve(output)
      else
        reject(
          new Error(
            isLate ? `The solver did not finish within ${timeoutMs / 1000} s.` : `The solver ended with the exit code ${code}.`,
          ),
        )
    })
  })
}

/** Flag of a test instance if the challenge has no template. */
const testFlag = 'flag{this_is_a_test_flag}'

/** True if a word or line in the output of a solver is the flag. */
export function containsFlag(
  output: string,
  right: { readonly flags: readonly string[] } | { readonly template: string },
): boolean {
  const lines = output.split('\n').map((line) => line.trim())
  const words = new Set([...lines, ...lines.flatMap((line) => line.split(/\s/))])
  if ('flags' in right) return right.flags.some((flag) => words.has(flag))
  if (right.template === '') return words.has(testFlag)
  return [...words].some((word) => word !== '' && canGenerateFlag(right.template, word))
}
