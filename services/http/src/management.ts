import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FailureLog } from './guard.ts'
import { createLimitedServer } from './listener.ts'

export type Readiness = Readonly<{
  isReady: boolean
  text: string
}>

export type ManagementOptions = Readonly<{
  host: string
  /** CAPSTAN_MANAGEMENT_PORT. With 0 the system chooses a free port. If undefined, no port is opened. */
  port: number | undefined
  registry: { readonly contentType: string; metrics(): Promise<string> }
  readiness: () => Readiness | Promise<Readiness>
  log: FailureLog | undefined
}>

export type Management = Readonly<{
  port: number
  close(): Promise<void>
}>

function send(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
  response.end(text)
}

/**
 * Serves `/livez`, `/readyz` and `/metrics` of a process on a separate port. So the metrics are not public. Also, a flood of
 * player requests cannot make the probes fail, which would restart the process.
 */
export async function startManagementServer({
  host,
  port,
  registry,
  readiness,
  log,
}: ManagementOptions): Promise<Management | undefined> {
  if (port === undefined) return undefined
  const answer = async (url: string, response: ServerResponse): Promise<void> => {
    switch (url.split('?')[0]) {
      case '/livez':
        return send(response, 200, 'Healthy')
      case '/readyz': {
        const { isReady, text } = await readiness()
        return send(response, isReady ? 200 : 503, text)
      }
      case '/metrics':
        return send(response, 200, await registry.metrics(), registry.contentType)
      default:
        return send(response, 404, 'There is nothing at this address')
    }
  }
  const server = createLimitedServer(
    (request, response) => {
      request.resume()
      void answer(request.url ?? '/', response).catch(() => response.destroy())
    },
    undefined,
    { log },
  )
  server.listen(port, host)
  await once(server, 'listening')
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port: (server.address() as AddressInfo).port, close }
}
