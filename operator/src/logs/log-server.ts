import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ContainerAddress } from '@capstan/challenge-instance/container-address'
import { parseEventsRequest } from '@capstan/challenge-instance/events-request'
import { clipLines } from '@capstan/challenge-instance/line-clip'
import { type LogRequest, parseLogRequest } from '@capstan/challenge-instance/log-request'
import type { Log } from '@capstan/kubernetes/log'
import { createServerLifecycle, type ServerLife } from '../server-life.ts'
import type { EventSource } from './event-source.ts'
import type { LogSource } from './log-source.ts'
import type { TerminalSource } from './terminal-source.ts'
import { serveTerminals } from './terminals.ts'

/** Maximum number of requests for logs or events that the operator serves at the same time. */
export const maxOpenLogs = 64

/** Maximum time that a log remains open, in ms. */
const maxOpenMs = 3_600_000

/** Maximum time to receive a request, in ms. */
const requestMs = 10_000

/**
 * Serves output, events and terminals of containers to the api, which authenticates by the shared token. The output is neither
 * stored nor logged, because it may contain flags.
 */
export function createLogServer({
  source,
  events,
  terminals,
  token,
  log,
  openMs = maxOpenMs,
}: {
  source: LogSource
  events: EventSource
  /** Source of terminals. Undefined if terminals are off. */
  terminals?: TerminalSource | undefined
  token: string
  log: Pick<Log, 'warn'>
  openMs?: number
}): ServerLife {
  const expected = digest(`Bearer ${token}`)
  const isAuthentic = ({ headers }: IncomingMessage) => timingSafeEqual(digest(headers.authorization ?? ''), expected)
  let open = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isAuthentic(request)) return refuse(response, 401)
    const address = request.method === 'GET' ? (request.url ?? '') : ''
    const wanted = parseLogRequest(address)
    const eventsOf = parseEventsRequest(address)
    if (wanted === undefined && eventsOf === undefined) return refuse(response, 404)
    if (open >= maxOpenLogs) return refuse(response, 429)
    open += 1
    try {
      if (wanted) await sendLog(wanted, response)
      else if (eventsOf) await sendEvents(eventsOf, response)
    } finally {
      open -= 1
    }
  }

  async function sendEvents(address: ContainerAddress, response: ServerResponse): Promise<void> {
    try {
      const list = await events.list(address)
      if (list === undefined) return refuse(response, 404)
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(list))
    } catch (error) {
      log.warn({ err: error, instance: address.instance }, 'Could not read the events of a container')
      refuse(response, 502)
    }
  }

  async function sendLog(wanted: LogRequest, response: ServerResponse): Promise<void> {
    const stop = new AbortController()
    const output = source.open(wanted, stop.signal)
    if (output === undefined) return refuse(response, 404)
    const timer = setTimeout(() => stop.abort(), openMs)
    response.once('close', () => stop.abort())
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).flushHeaders()
    try {
      await pipeline(Readable.from(clipLines(output)), response)
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ err: error, instance: wanted.instance }, 'Could not read the output of a container')
      // An aborted response tells the client that the output is not complete.
      response.destroy()
    } finally {
      clearTimeout(timer)
      stop.abort()
    }
  }

  const server = createServer({ headersTimeout: requestMs, requestTimeout: requestMs }, (request, response) => {
    request.resume()
    void answer(request, response).catch(() => response.destroy())
  })
  server.maxConnections = 2 * maxOpenLogs
  const endTerminals = terminals && serveTerminals(server, { source: terminals, isAuthentic, log, openMs })
  const life = createServerLifecycle(server)
  return {
    ...life,
    close() {
      endTerminals?.()
      return life.close()
    },
  }
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status).end()
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
