/**
 * What a log, a terminal or a trace is told of an error. Errors of libraries carry what was sent with them: parameters of
 * statements, bodies of requests, addresses with tokens. So nothing is told that is not named here, and texts are cut where they
 * are known to quote.
 */

const textMaxLength = 2_000
const framesMax = 20
const causesMax = 5

/** Fields that say what happened and never what was sent. */
const harmless = [
  ...['code', 'errno', 'syscall', 'address', 'port', 'status', 'statusCode', 'responseCode', 'reason'],
  ...['constraint', 'table', 'column', 'statement', 'isOutcomeUnknown'],
] as const

export interface ToldError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly cause?: ToldError
  readonly errors?: readonly ToldError[]
  readonly [field: string]: unknown
}

/** The text without what is known to be secret in texts: parameters, bodies, arguments, passwords and queries of addresses. */
export const scrub = (text: string): string =>
  text
    .slice(0, textMaxLength)
    .replace(/(\nparams:|\nBody:|, with args beginning with:)[\s\S]*$/, '')
    .replace(/:\/\/[^\s/@]*@/g, '://…@')
    .replace(/\?[^\s?=&"'<>]{1,64}=[^\s"'<>]*/g, '?…')

/** The lines of a stack, without the message that stands above them. */
const framesOf = ({ stack = '', message }: Error): string[] =>
  stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^\s{4}at /.test(line))
    .slice(0, framesMax)
    .map(scrub)

const fieldsOf = (error: Error): Record<string, unknown> => {
  const fields: Record<string, unknown> = {}
  for (const name of harmless) {
    const value = (error as unknown as Record<string, unknown>)[name]
    if (typeof value === 'number' || typeof value === 'boolean') fields[name] = value
    else if (typeof value === 'string') fields[name] = scrub(value)
  }
  return fields
}

/** @param thrown whatever was thrown; of what is no error, only a text is told */
export const tellError = (thrown: unknown, depth = 0): ToldError => {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: typeof thrown === 'string' ? scrub(thrown) : 'No error' }
  const message = scrub(thrown.message)
  const isDeep = depth >= causesMax
  return {
    ...fieldsOf(thrown),
    type: thrown.name,
    message,
    stack: [`${thrown.name}: ${message}`, ...framesOf(thrown)].join('\n'),
    ...(!isDeep && thrown.cause !== undefined && { cause: tellError(thrown.cause, depth + 1) }),
    ...(!isDeep &&
      thrown instanceof AggregateError && { errors: thrown.errors.slice(0, causesMax).map((one) => tellError(one, depth + 1)) }),
  }
}

type LogCall = (this: unknown, ...args: unknown[]) => void

/** For every logger of ours: errors in a line are told as `tellError` tells them, also where their message is the text of the line. */
export const safeLogging = {
  serializers: { err: tellError },
  hooks: {
    logMethod(this: unknown, args: unknown[], method: LogCall): void {
      const [first, text] = args
      const error = first instanceof Error ? first : (first as { err?: unknown } | undefined)?.err
      if (error instanceof Error) {
        const told = text === undefined || text === error.message ? scrub(error.message) : text
        method.apply(this, [first instanceof Error ? { err: first } : first, told, ...args.slice(2)])
      } else method.apply(this, args)
    },
  },
}

interface CrashLog {
  fatal(fields: object, text: string): void
}

/** Ends the process at a failure that nobody has caught, as it would end by itself, but tells of it as every other line does. */
export const reportCrashes = (log: CrashLog): void => {
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'Ended by a failure that nobody has caught')
    process.exit(1)
  })
}
