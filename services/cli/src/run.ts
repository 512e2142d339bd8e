import { getSystemErrorMessage } from 'node:util'
import about from '../package.json' with { type: 'json' }
import { applyCommand } from './commands/apply.ts'
import { buildCommand } from './commands/build.ts'
import type { Command, Context, ExitCode } from './commands/command.ts'
import { exitCodes, UsageError } from './commands/command.ts'
import { exportCommand } from './commands/export.ts'
import { gamesCommand } from './commands/games.ts'
import { importCommand } from './commands/import.ts'
import { initCommand } from './commands/init.ts'
import { lintCommand } from './commands/lint.ts'
import { loginCommand } from './commands/login.ts'
import { planCommand } from './commands/plan.ts'
import { pullCommand } from './commands/pull.ts'
import { testCommand } from './commands/test.ts'
import { validateCommand } from './commands/validate.ts'

const commands: Readonly<Record<string, Command>> = {
  login: loginCommand,
  games: gamesCommand,
  init: initCommand,
  import: importCommand,
  validate: validateCommand,
  lint: lintCommand,
  build: buildCommand,
  plan: planCommand,
  apply: applyCommand,
  pull: pullCommand,
  export: exportCommand,
  test: testCommand,
}

function help(asked: readonly Command[] = Object.values(commands)): string {
  return ['Usage:', ...asked.flatMap(({ usage, summary }) => [`  ${usage}`, `      ${summary}`])].join('\n')
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined
}

/** True if a command line asks for help. Arguments after `--` are ignored. */
function asksForHelp(args: readonly string[]): boolean {
  return args.slice(0, args.includes('--') ? args.indexOf('--') : undefined).some((each) => each === '--help' || each === '-h')
}

function isWrongUsage(cause: unknown): cause is Error {
  return (
    cause instanceof UsageError ||
    (cause instanceof TypeError && 'code' in cause && String(cause.code).startsWith('ERR_PARSE_ARGS'))
  )
}

/** Escape sequences for the colors in the output of the command `plan`. */
const colours = new Set([0, 31, 32, 33, 35].map((code) => `\u001b[${code}m`))

/**
 * Replaces control characters, because texts may come from files or from the platform. Such characters could move the cursor,
 * hide text or reverse its direction. Line ends, tabs and our colors remain.
 */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069](?:\[\d{1,2}m)?/gu, (found) => {
    const isPlain = found.startsWith('\n') || found.startsWith('\t') || colours.has(found)
    return isPlain ? found : ` ${found.slice(1)}`
  })
}

/** Returns a context that replaces control characters in all output. */
function withPlainTexts(context: Context): Context {
  const { line, error, progress } = context
  return {
    ...context,
    line: (text) => line(printable(text)),
    error: (text) => error(printable(text)),
    ...(progress && { progress: (text: string) => progress(printable(text)) }),
  }
}

const unwritable: readonly unknown[] = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC']

/**
 * Describes an error of the file system in a sentence.
 * @returns undefined for other errors
 */
function ofFile(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'path' in cause && 'errno' in cause && 'syscall' in cause && 'code' in cause)) return undefined
  if (typeof cause.errno !== 'number' || String(cause.syscall).startsWith('spawn')) return undefined
  const advice = unwritable.includes(cause.code) ? ' Check the permissions and the free space there, or use another folder.' : ''
  return `${cause.path}: ${getSystemErrorMessage(cause.errno)}.${advice}`
}

function tell(command: Command, context: Context, cause: unknown): ExitCode {
  if (isWrongUsage(cause)) {
    context.error(`${cause.message}\nUsage: ${command.usage}`)
    return command.usageCode ?? exitCodes.usage
  }
  context.error(ofFile(cause) ?? (cause instanceof Error ? cause.message : String(cause)))
  return exitCodes.refused
}

/** Runs one command line. `args` excludes the names of program and script. */
export function runCommandLine(args: readonly string[], given: Context): ExitCode | Promise<ExitCode> {
  const context = withPlainTexts(given)
  const [name = 'help', ...rest] = args
  const asked = commandOf(name === 'help' ? (rest[0] ?? '') : name)
  if (name === 'help' || asksForHelp(args)) {
    context.line(help(asked && [asked]))
    return exitCodes.done
  }
  if (name === '--version') {
    context.line(`capstan ${about.version}`)
    return exitCodes.done
  }
  const command = commandOf(name)
  if (command === undefined) {
    context.error(
      `Unknown command: ${name}. The commands are ${Object.keys(commands).join(', ')}; \`capstan help\` describes them.`,
    )
    return exitCodes.usage
  }
  try {
    const code = command.run(rest, context)
    return typeof code === 'number' ? code : code.catch((cause: unknown) => tell(command, context, cause))
  } catch (cause) {
    return tell(command, context, cause)
  }
}
