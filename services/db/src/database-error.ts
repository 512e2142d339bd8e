const maxStatementLength = 2_000

/** Fields of an error from the driver or from PostgreSQL. These fields never contain values of the failed statement. */
type SafeFields = Readonly<{
  code?: string
  constraint_name?: string
  table_name?: string
  column_name?: string
  address?: string
  port?: number
}>

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/**
 * The only error type that leaves this package. Values of statements include flags, passwords and tokens, and PostgreSQL quotes
 * them in messages, details and hints. So this error contains only the code, the names of the affected tables, columns and
 * constraints, and the statement with placeholders.
 */
export class DatabaseError extends Error {
  /** SQLSTATE of PostgreSQL (appendix A), or the code of the driver or Node. */
  readonly code: string | undefined
  readonly constraint: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
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
    this.statement = statement?.slice(0, maxStatementLength)
  }
}

/** Error of a call that fails because the database is unavailable, or because too many calls already wait. */
export class DatabaseUnavailable extends DatabaseError {
  /** True if the connection broke during the call, so that it is unknown whether the work was committed. */
  readonly isOutcomeUnknown: boolean

  constructor(cause: unknown, { isOutcomeUnknown = false }: { isOutcomeUnknown?: boolean } = {}) {
    super('The database cannot be reached', cause)
    this.name = 'DatabaseUnavailable'
    this.isOutcomeUnknown = isOutcomeUnknown
  }
}

/**
 * Converts an error of a statement to an error that contains no values.
 * @param statement SQL text with placeholders instead of values
 */
export function toDatabaseError(error: unknown, statement?: string): DatabaseError {
  return error instanceof DatabaseError ? error : new DatabaseError('A statement failed', error, statement)
}

/**
 * Codes of connection errors, from Node, the driver and PostgreSQL (shutdown, startup, no free connections, class 08; appendix
 * A).
 */
const connectionCode =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|57P0[1235]|53300|08\w{3})$/

/** True if the connection failed, so that a retry on another connection may succeed. */
export function isConnectionFailure(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  if (typeof code !== 'string') return false
  // A missing socket file means that the server is down.
  return connectionCode.test(code) || (code === 'ENOENT' && syscall === 'connect')
}

/** True if PostgreSQL rolled back the statement or transaction because of a deadlock (SQLSTATE 40P01). */
export function isDeadlock(error: unknown): boolean {
  return error instanceof Error && ((error as { readonly code?: unknown }).code === '40P01' || isDeadlock(error.cause))
}
