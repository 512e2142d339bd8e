import Fastify, { type FastifyInstance } from 'fastify'
import postgres, { type Sql } from 'postgres'
import { answerOrders } from '../worker.ts'

/** What the bare route sends. */
export type BareRoute = Readonly<{
  method?: 'GET' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array
  /** One statement before the answer, with one of the parameters by turns; it must give one row. */
  query?: { readonly url: string; readonly statement: string; readonly parameters: readonly string[] }
}>

/** The limit of an HTTP answer: Fastify with one route that sends bytes it holds ready, in a process of its own. */

let running: { app: FastifyInstance; sql: Sql | undefined } | undefined

async function start({ method = 'GET', path, headers, bytes, query }: BareRoute): Promise<number> {
  await running?.app.close()
  await running?.sql?.end()
  const app = Fastify()
  const sql = query && postgres(query.url, { max: 20, onnotice: () => {} })
  const body = Buffer.from(bytes)
  let turn = 0
  app.route({
    method,
    url: path,
    handler: async (_, reply) => {
      if (sql) {
        const { statement, parameters } = query
        const found = await sql.unsafe(statement, [parameters[turn++ % parameters.length] ?? ''], { prepare: true })
        if (found.length !== 1) throw new Error('The statement did not give one row')
      }
      return reply.headers(headers).send(body)
    },
  })
  running = { app, sql }
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}

answerOrders(start)
