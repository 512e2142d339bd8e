import postgres from 'postgres'
import { answerOrders } from '../worker.ts'

export type InsertOrder = Readonly<{
  url: string
  /** One statement without parameters; each run is a transaction. */
  statement: string
  clients: number
  seconds: number
}>

/** Where there is no pgbench: the same by Node, one connection per client. @returns committed rows per second */
async function run({ url, statement, clients, seconds }: InsertOrder): Promise<number> {
  const sql = postgres(url, { max: clients, onnotice: () => {} })
  // Opens every connection before the time runs.
  await Promise.all(Array.from({ length: clients }, () => sql`select pg_sleep(0.1)`))
  const deadlineMs = performance.now() + seconds * 1000
  let inserted = 0
  const client = async () => {
    while (performance.now() < deadlineMs) {
      await sql.unsafe(statement, [], { prepare: true })
      if (performance.now() <= deadlineMs) inserted += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  await sql.end()
  return inserted / seconds
}

answerOrders(run)
