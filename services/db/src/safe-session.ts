import { DrizzleQueryError } from 'drizzle-orm'
import { PgDialect, type PgPreparedQuery, type PgTransactionConfig, type PreparedQueryConfig } from 'drizzle-orm/pg-core'
import { PostgresJsDatabase, PostgresJsSession, PostgresJsTransaction } from 'drizzle-orm/postgres-js'
import type { Sql, TransactionSql } from 'postgres'
import { toDatabaseError } from './database-error.ts'

type Nothing = Record<string, never>
type Session = PostgresJsSession<Sql, Nothing, Nothing>
type Transaction = PostgresJsTransaction<Nothing, Nothing>
type Work<T> = (transaction: Transaction) => Promise<T>

function unwrapped(error: unknown) {
  return error instanceof DrizzleQueryError ? toDatabaseError(error.cause, error.query) : toDatabaseError(error)
}

/** Session of drizzle. Its errors never contain values of statements. */
class SafeSession extends PostgresJsSession<Sql, Nothing, Nothing> {
  constructor(client: Sql | TransactionSql, dialect: PgDialect) {
    super(client as Sql, dialect, undefined)
  }

  override prepareQuery<T extends PreparedQueryConfig = PreparedQueryConfig>(
    ...args: Parameters<Session['prepareQuery']>
  ): PgPreparedQuery<T> {
    const query = super.prepareQuery(...args) as PgPreparedQuery<T>
    const execute = query.execute.bind(query)
    query.execute = async (values) => {
      try {
        return await execute(values)
      } catch (error) {
        throw unwrapped(error)
      }
    }
    return query
  }

  override transaction<T>(work: Work<T>, config?: PgTransactionConfig): Promise<T> {
    return this.client.begin(async (inner) => {
      const transaction = openTransaction(inner, this.dialect)
      if (config) await transaction.setTransaction(config)
      return work(transaction)
    }) as Promise<T>
  }
}

class SafeTransaction extends PostgresJsTransaction<Nothing, Nothing> {
  readonly #client: TransactionSql
  readonly #dialect: PgDialect

  constructor(client: TransactionSql, dialect: PgDialect) {
    const session: unknown = new SafeSession(client, dialect)
    super(dialect, session as ConstructorParameters<typeof PostgresJsTransaction<Nothing, Nothing>>[1], undefined)
    this.#client = client
    this.#dialect = dialect
  }

  override transaction<T>(work: Work<T>): Promise<T> {
    return this.#client.savepoint((inner) => work(openTransaction(inner, this.#dialect))) as Promise<T>
  }
}

function openTransaction(client: TransactionSql, dialect: PgDialect): Transaction {
  return new SafeTransaction(client, dialect)
}

/** Returns a drizzle database that uses the driver, or a client with the same methods. */
export function createSafeDatabase(client: Sql): PostgresJsDatabase {
  const dialect = new PgDialect()
  return new PostgresJsDatabase(dialect, new SafeSession(client, dialect), undefined)
}
