import type { TestApp } from './app.ts'

/** Locks a table, so that its readers wait. @returns a function that unlocks the table */
export async function lockTable({ sql }: Pick<TestApp, 'sql'>, table: string): Promise<() => Promise<void>> {
  const unlock = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const locking = sql.begin(async (transaction) => {
    await transaction`lock table ${transaction(table)} in access exclusive mode`
    isLocked.resolve()
    await unlock.promise
  })
  await isLocked.promise
  return async () => {
    unlock.resolve()
    await locking
  }
}
