const statementMaxLength = 2_000

/** What of the driver's errors, and of PostgreSQL's answers behind them, holds no value of a statement. */
interface SafeFields {
  readonly code?: string
  readonly constraint_name?: string
  readonly table_name?: string
  readonly column_name?: string
  readonly address?: string
  readonly port?: number
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * The only errors that leave this package. Values of statements are flags, passwords and tokens, and PostgreSQL quotes them in
 * its messages, details and hints: what is kept is the code, the names of what refused, and the statement with its placeholders.
 */
export class DatabaseError extends Error {
  /** SQLSTATE of PostgreSQL (appendix A), or the code of the driver or of Node. */
  readonly code: string | undefined
  /** Violated constraint. */
  readonly constraint: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  /** With `$1` in the place of values. */
  readonly statement: string | undefined

  constructor(what: string, cause: unknown, statement?: string) {
    const { code, constraint_name, table_name, column_name, address, port } = (cause ?? {}) as SafeFields
    const about = [
      textOf(code) ?? (cause instanceof Error ? cause.name : 'unknown'),
      textOf(constraint_name) && `constraint ${constraint_name}`,
      textOf(address) && `${address}${typeof port === 'number' ? `:${port}` : ''}`,
    ]
    super(`${what}: ${about.filter(Boolean).join(', ')}`)
    this.name = 'DatabaseError'
    this.code = textOf(code)
    this.constraint = textOf(constraint_name)
    this.table = textOf(table_name)
    this.column = textOf(column_name)
    this.statement = statement?.slice(0, statementMaxLength)
  }
}

/** The database is away, or so many wait for it already that no more may. */
export class DatabaseUnavailable extends DatabaseError {
  /** The connection broke in the middle: what was asked for may have been done. */
  readonly isOutcomeUnknown: boolean

  constructor(cause: unknown, { isOutcomeUnknown = false }: { isOutcomeUnknown?: boolean } = {}) {
    super('The database is away', cause)
    this.name = 'DatabaseUnavailable'
    this.isOutcomeUnknown = isOutcomeUnknown
  }
}

/** Whatever a statement failed with, without its values. @param statement with placeholders */
export const withoutValues = (error: unknown, statement?: string): DatabaseError =>
  error instanceof DatabaseError ? error : new DatabaseError('A statement failed', error, statement)

/** Codes of Node and the driver, and of PostgreSQL: ending, starting, out of connections, class 08 (appendix A). */
const ofConnection =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|57P0[1235]|53300|08\w{3})$/

/** Whether the connection is what failed, so that another one, sooner or later, may do better. */
export const isConnectionFailure = (error: unknown): boolean => {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return false
  // Where the server listens on a socket file, that is gone while it is.
  return ofConnection.test(code) || (code === 'ENOENT' && syscall === 'connect')
}

/** Whether PostgreSQL has ended and undone it, statement or transaction, as two waited for each other (appendix A). */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && ((error as { readonly code?: unknown }).code === '40P01' || isDeadlock(error.cause))
