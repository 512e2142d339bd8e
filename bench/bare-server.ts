// Server that uses only Fastify, in a separate process. It shows the maximum rate of HTTP responses on this machine.
import Fastify from 'fastify'
import postgres from 'postgres'
import { runAsWorker } from './process.ts'

export type BareRoute = Readonly<{
  headers: Readonly<Record<string, string>>
  bytes: Uint8Array
  query?: Readonly<{ url: string; statement: string }>
}>

/** Starts a server that sends the same response at every address. @returns the port of the server */
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

runAsWorker(start)
