import type { Sql, TransactionSql } from 'postgres'

/** Told about a statement when it is sent, with placeholders instead of values. @returns what is told when it is answered */
export type StatementObserver = (text: string) => ((error?: unknown) => void) | undefined

type Send = (text: string, ...rest: unknown[]) => Promise<unknown>
type Begin = (...args: unknown[]) => Promise<unknown>

/** The same client, each statement of which is told to `observe`, those of transactions too. */
export const observed = <Client extends Sql | TransactionSql>(client: Client, observe: StatementObserver): Client => {
  const send: Send = (text, ...rest) => {
    const query = (client.unsafe as unknown as Send)(text, ...rest)
    const done = observe(text)
    // The driver sends a statement at its first own `then`: this one only listens.
    if (done) void Promise.prototype.then.call(query, () => done(), done)
    return query
  }
  const within = (name: 'begin' | 'savepoint'): Begin => {
    const begin = (client as unknown as Record<typeof name, Begin>)[name]
    return (...args) => {
      const work = args.pop() as (inner: TransactionSql) => Promise<unknown>
      return begin(...args, (inner: TransactionSql) => work(observed(inner, observe)))
    }
  }
  return new Proxy(client, {
    get(target, name) {
      if (name === 'unsafe') return send
      return name === 'begin' || name === 'savepoint' ? within(name) : Reflect.get(target, name)
    },
  })
}
