import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { clipLines } from '@capstan/challenge-instance/line-clip'
import { readLogRequest } from '@capstan/challenge-instance/log-request'
import type { Log } from '@capstan/kubernetes/log'
import { type ServerLife, serverLife } from '../server-life.ts'
import type { LogSource } from './log-source.ts'

/** Maximum number of open logs. Each occupies a connection to the API server. */
export const maxOpenLogs = 64

/** Maximum time that a log is open, in ms. */
const maxOpenMs = 3_600_000

/** Maximum time to receive a request, in ms. */
const requestMs = 10_000

/**
 * Serves the output of containers to the api, which authenticates by the shared token. The output is neither stored nor logged,
 * because it may contain flags.
 */
export function createLogServer({
  source,
  token,
  log,
  openMs = maxOpenMs,
}: {
  source: LogSource
  token: string
  log: Pick<Log, 'warn'>
  openMs?: number
}): ServerLife {
  const expected = digest(`Bearer ${token}`)
  let open = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refuse = (status: number) => response.writeHead(status).end()
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return void refuse(401)
    const wanted = request.method === 'GET' ? readLogRequest(request.url ?? '') : undefined
    if (wanted === undefined) return void refuse(404)
    if (open >= maxOpenLogs) return void refuse(429)
    const stop = new AbortController()
    const output = source.open(wanted, stop.signal)
    if (output === undefined) return void refuse(404)
    open += 1
    const timer = setTimeout(() => stop.abort(), openMs)
    response.once('close', () => stop.abort())
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).flushHeaders()
    try {
      await pipeline(Readable.from(clipLines(output)), response)
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ err: error, instance: wanted.instance }, 'Could not read the output of a container')
      // A cut answer shows the reader that the output is not complete.
      response.destroy()
    } finally {
      open -= 1
      clearTimeout(timer)
      stop.abort()
    }
  }

  const server = createServer({ headersTimeout: requestMs, requestTimeout: requestMs }, (request, response) => {
    request.resume()
    void answer(request, response).catch(() => response.destroy())
  })
  server.maxConnections = 2 * maxOpenLogs
  return serverLife(server)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
