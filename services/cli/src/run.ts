import type { Command, ExitCode, Output } from './commands/command.ts'
import { exitCodes, UsageError } from './commands/command.ts'
import { importCommand } from './commands/import.ts'
import { validateCommand } from './commands/validate.ts'

const commands: Readonly<Record<string, Command>> = { import: importCommand, validate: validateCommand }

const help = (): string =>
  ['Usage:', ...Object.values(commands).flatMap(({ usage, summary }) => [`  ${usage}`, `      ${summary}`])].join('\n')

const isWrongUsage = (cause: unknown): cause is Error =>
  cause instanceof UsageError ||
  (cause instanceof TypeError && 'code' in cause && String(cause.code).startsWith('ERR_PARSE_ARGS'))

/** Runs one command line, without the names of program and script. */
export const run = (args: readonly string[], output: Output): ExitCode => {
  const [name = 'help', ...rest] = args
  if (name === 'help' || name === '--help') {
    output.line(help())
    return exitCodes.done
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    output.error(`${name} is no command.\n${help()}`)
    return exitCodes.usage
  }
  try {
    return command.run(rest, output)
  } catch (cause) {
    if (isWrongUsage(cause)) {
      output.error(`${cause.message}\nUsage: ${command.usage}`)
      return exitCodes.usage
    }
    output.error(cause instanceof Error ? cause.message : String(cause))
    return exitCodes.refused
  }
}
