/**
 * Serializes errors for logs, terminals and traces. Errors of libraries can contain secret data: parameters of statements, bodies
 * of requests, addresses with tokens. So only the fields listed here are logged, and each text is cut where such data begins.
 */

const maxTextLength = 2_000
const maxFrames = 20
const maxCauses = 5

/** Error fields that describe the failure and contain none of the data that was sent. */
const safeFields = [
  ...['code', 'errno', 'syscall', 'address', 'port', 'status', 'statusCode', 'responseCode', 'reason'],
  ...['constraint', 'table', 'column', 'statement', 'isOutcomeUnknown'],
] as const

export interface LoggedError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly cause?: LoggedError
  readonly errors?: readonly LoggedError[]
  readonly [field: string]: unknown
}

/** Removes known secrets from a text: parameters, bodies, arguments, passwords, and queries of addresses. */
export function removeSecrets(text: string): string {
  return text
    .slice(0, maxTextLength)
    .replace(/(\nparams:|\nBody:|, with args beginning with:)[\s\S]*$/, '')
    .replace(/:\/\/[^\s/@]*@/g, '://…@')
    .replace(/\?[^\s?=&"'<>]{1,64}=[^\s"'<>]*/g, '?…')
}

/** Returns the lines of a stack trace after the error message. */
function framesOf({ stack = '', message }: Error): string[] {
  return stack
    .replace(message, '')
    .split('\n')
    .filter((line) => /^\s{4}at /.test(line))
    .slice(0, maxFrames)
    .map(removeSecrets)
}

function fieldsOf(error: Error): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const name of safeFields) {
    const value = (error as unknown as Record<string, unknown>)[name]
    if (typeof value === 'number' || typeof value === 'boolean') fields[name] = value
    else if (typeof value === 'string') fields[name] = removeSecrets(value)
  }
  return fields
}

/**
 * Returns those fields of an error that are safe to log. For a thrown value other than an error, returns its type,
 * and also the value if it is a text.
 * @param thrown any thrown value
 */
export function serializeError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error))
    return { type: typeof thrown, message: typeof thrown === 'string' ? removeSecrets(thrown) : 'No error' }
  const message = removeSecrets(thrown.message)
  const isDeep = depth >= maxCauses
  return {
    ...fieldsOf(thrown),
    type: thrown.name,
    message,
    stack: [`${thrown.name}: ${message}`, ...framesOf(thrown)].join('\n'),
    ...(!isDeep && thrown.cause !== undefined && { cause: serializeError(thrown.cause, depth + 1) }),
    ...(!isDeep &&
      thrown instanceof AggregateError && {
        errors: thrown.errors.slice(0, maxCauses).map((one) => serializeError(one, depth + 1)),
      }),
  }
}

type LogCall = (this: unknown, ...args: unknown[]) => void

/**
 * Options for all loggers of the platform. Loggers with these options serialize errors by `serializeError`. If a log
 * line has no text, its text is the error's message without secrets.
 */
export const safeLogging = {
  serializers: { err: serializeError },
  hooks: {
    logMethod(this: unknown, args: unknown[], method: LogCall): void {
      const [first, text] = args
      const error = first instanceof Error ? first : (first as { err?: unknown } | undefined)?.err
      if (error instanceof Error) {
        const safeText = text === undefined || text === error.message ? removeSecrets(error.message) : text
        method.apply(this, [first instanceof Error ? { err: first } : first, safeText, ...args.slice(2)])
      } else method.apply(this, args)
    },
  },
}

interface CrashLog {
  fatal(fields: object, text: string): void
}

/** Exits after an uncaught failure, as Node does, but logs it like all other errors. */
export function logUncaughtErrors(log: CrashLog): void {
  process.once('uncaughtException', (error) => {
    log.fatal({ err: error }, 'Exiting because of an uncaught failure')
    process.exit(1)
  })
}
