// Bare Fastify in its own process: the limit of an HTTP answer.
import Fastify from 'fastify'
import postgres from 'postgres'
import { answerOrder } from './process.ts'

export type BareRoute = Readonly<{
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array
  query?: Readonly<{ url: string; statement: string }>
}>

/** Starts a server with one route for all addresses. @returns its port */
async function start({ headers, bytes, query }: BareRoute): Promise<number> {
  const app = Fastify()
  const sql = query && postgres(query.url, { max: 20, onnotice: () => {} })
  const body = Buffer.from(bytes)
  app.all('*', async (_, reply) => {
    if (sql) await sql.unsafe(query.statement, [], { prepare: true })
    return reply.headers(headers).send(body)
  })
  return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
}

answerOrder(start)
