import type { Sql, TransactionSql } from 'postgres'

/**
 * Function that is called with the text of each sent statement, which contains placeholders instead of values. It may return a
 * function to call when the statement succeeds or fails.
 */
export type StatementObserver = (text: string) => ((error?: unknown) => void) | undefined

type Send = (text: string, ...rest: unknown[]) => Promise<unknown>
type Begin = (...args: unknown[]) => Promise<unknown>

/** Returns a client that works like `client` and reports every statement to `observe`, including statements in transactions. */
export function observeStatements<Client extends Sql | TransactionSql>(client: Client, observe: StatementObserver): Client {
  const send: Send = (text, ...rest) => {
    const query = (client.unsafe as unknown as Send)(text, ...rest)
    const done = observe(text)
    // Call the original `then` of promises, because the driver overrides `then`: its first call sends the statement.
    if (done) void Promise.prototype.then.call(query, () => done(), done)
    return query
  }
  const within = (name: 'begin' | 'savepoint'): Begin => {
    const begin = (client as unknown as Record<typeof name, Begin>)[name]
    return (...args) => {
      const work = args.pop() as (inner: TransactionSql) => Promise<unknown>
      return begin(...args, (inner: TransactionSql) => work(observeStatements(inner, observe)))
    }
  }
  return new Proxy(client, {
    get(target, name) {
      if (name === 'unsafe') return send
      return name === 'begin' || name === 'savepoint' ? within(name) : Reflect.get(target, name)
    },
  })
}
